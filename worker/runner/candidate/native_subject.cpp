#include "worker/runner/candidate/native_subject.hpp"

#include <ATen/ATen.h>
#include <ATen/DLConvertor.h>
#include <dlfcn.h>

#include "worker/runner/device/dtype.hpp"

namespace autokernel::runner {
namespace {

using messages::FailureKind;

constexpr const char* kFunction = "autokernel_forward";

tl::unexpected<messages::Failed> refuse(std::string message) {
  return tl::unexpected(failed_with(FailureKind::kNativeError, std::move(message)));
}

AutokernelValue plain_value(AutokernelKind kind, std::int64_t integer, double real) {
  AutokernelValue value{};
  value.kind = kind;
  value.integer = integer;
  value.real = real;
  return value;
}

}  // namespace

Attempt<std::unique_ptr<Subject>> NativeSubject::load(const messages::Load& request, Device& device,
                                                      const Arena& arena) {
  const std::string path = request.artefact_folder + "/kernel.so";
  void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return refuse(fmt::format("kernel.so cannot be loaded: {}", ::dlerror()));
  auto* const function = reinterpret_cast<Function>(::dlsym(library, kFunction));
  if (function == nullptr) return refuse(fmt::format("the file defines no function {}", kFunction));
  return std::unique_ptr<Subject>(new NativeSubject(function, device, arena));
}

Attempt<std::vector<std::string>> NativeSubject::instantiate(const messages::Instantiate& request) {
  weights_.clear();
  weight_values_.clear();
  std::vector<std::string> names;
  for (const messages::NamedTensor& weight : request.weights) {
    const auto source = arena_.tensor(weight.tensor);
    if (!source) return tl::unexpected(failed_from(source.error()));
    AUTOKERNEL_TRY_ASSIGN(weights_.emplace_back(),
                          attempt([&] { return source->clone(at::MemoryFormat::Contiguous); }));
    AUTOKERNEL_TRY_ASSIGN(weight_values_.emplace_back(), c_tensor(weights_.back()));
    names.push_back(weight.name);
  }
  return names;
}

Attempt<void> NativeSubject::prepare(std::span<const messages::CallInputs> calls, const messages::ResultPlace& place) {
  inputs_.clear();
  input_values_.clear();
  for (const messages::CallInputs& call : calls) {
    input_values_.emplace_back();
    for (const messages::Item& argument : call.arguments) AUTOKERNEL_TRY(add_inputs(argument));
  }

  outputs_.clear();
  output_values_.clear();
  expected_ = place.expected;
  for (messages::TensorView* view : views_of(expected_)) {
    const auto dtype = dtype_from_name(view->dtype);
    if (!dtype) return refuse(fmt::format("outputs of dtype {} are not for native candidates", view->dtype));
    AUTOKERNEL_TRY_ASSIGN(outputs_.emplace_back(), attempt([&] {
                            return at::empty(view->shape,
                                             at::TensorOptions().dtype(*dtype).device(device_.torch_device()));
                          }));
    AUTOKERNEL_TRY_ASSIGN(output_values_.emplace_back(), c_tensor(outputs_.back()));
    view->strides = outputs_.back().strides().vec();
    view->offset = kNotInArena;
  }

  call_ = AutokernelCall{};
  call_.version = AUTOKERNEL_KERNEL_VERSION;
  call_.num_weights = static_cast<std::int32_t>(weight_values_.size());
  call_.weights = weight_values_.data();
  call_.num_outputs = static_cast<std::int32_t>(output_values_.size());
  call_.outputs = output_values_.data();
  call_.message = message_.data();
  call_.message_size = message_.size();
  return {};
}

Attempt<AutokernelTensor> NativeSubject::c_tensor(const at::Tensor& tensor) const {
  if (!tensor.is_contiguous()) return refuse("native candidates get dense tensors only");
  return attempt([&] {
    const DLDataType type = at::getDLDataType(tensor);
    AutokernelTensor value{};
    value.data = tensor.numel() == 0 ? nullptr : tensor.mutable_data_ptr();
    value.device_type = device_.is_cpu() ? 1 : device_.kind() == protocol::DeviceKind::kHip ? 10 : 2;
    value.device_id = 0;
    value.ndim = static_cast<std::int32_t>(tensor.dim());
    value.dtype = AutokernelType{type.code, type.bits, type.lanes};
    value.shape = tensor.sizes().data();
    value.strides = tensor.strides().data();
    return value;
  });
}

Attempt<void> NativeSubject::add_input_tensor(const messages::TensorView& view) {
  const auto tensor = arena_.tensor(view);
  if (!tensor) return tl::unexpected(failed_from(tensor.error()));
  inputs_.push_back(*tensor);
  AutokernelValue value{};
  value.kind = AUTOKERNEL_TENSOR;
  AUTOKERNEL_TRY_ASSIGN(value.tensor, c_tensor(inputs_.back()));
  input_values_.back().push_back(value);
  return {};
}

Attempt<void> NativeSubject::add_inputs(const messages::Item& item) {
  using messages::ItemKind;
  std::vector<AutokernelValue>& values = input_values_.back();
  switch (item.kind) {
    case ItemKind::kTensor:
      if (!item.tensor) return refuse("a tensor without a description");
      return add_input_tensor(*item.tensor);
    case ItemKind::kNone: values.push_back(plain_value(AUTOKERNEL_NONE, 0, 0)); return {};
    case ItemKind::kBoolean: values.push_back(plain_value(AUTOKERNEL_BOOLEAN, item.boolean ? 1 : 0, 0)); return {};
    case ItemKind::kInteger: values.push_back(plain_value(AUTOKERNEL_INTEGER, item.integer, 0)); return {};
    case ItemKind::kReal: values.push_back(plain_value(AUTOKERNEL_REAL, 0, item.real)); return {};
    case ItemKind::kText: return refuse("this problem passes text to forward, which a native candidate cannot take");
    case ItemKind::kList:
    case ItemKind::kTuple:
    case ItemKind::kDict:
      for (const messages::Item& child : item.items) AUTOKERNEL_TRY(add_inputs(child));
      return {};
  }
  return {};
}

Attempt<void> NativeSubject::poison() {
  for (const at::Tensor& output : outputs_) {
    if (output.nbytes() == 0) continue;
    const auto filled = device_.fill(output.mutable_data_ptr(), 0xFF, output.nbytes());
    if (!filled) return tl::unexpected(failed_from(filled.error()));
  }
  return {};
}

Attempt<void> NativeSubject::invoke(std::size_t call) {
  const std::vector<AutokernelValue>& inputs = input_values_.at(call);
  call_.num_inputs = static_cast<std::int32_t>(inputs.size());
  call_.inputs = inputs.data();
  message_.front() = '\0';
  call_.stream = device_.use_default_stream();
  const Attempt<int> code = attempt([&] { return function_(&call_); });
  if (!code) return tl::unexpected(code.error());
  if (*code == 0) return {};
  message_.back() = '\0';
  const char* text = message_.front() == '\0' ? "no message" : message_.data();
  return refuse(fmt::format("{} returned {}: {}", kFunction, *code, text));
}

Description NativeSubject::result() { return Description{expected_, outputs_, ""}; }

}  // namespace autokernel::runner
