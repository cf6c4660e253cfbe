#include "worker/runner/candidate/python_subject.hpp"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/python_variable.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "worker/runner/device/dtype.hpp"
#include "worker/runner/python/extensions.hpp"

namespace py = pybind11;

namespace autokernel::runner {
namespace {

/// malloc gives bigger blocks back to the system and gets zeroed pages the next time, so that a pattern in them is
/// lost.
constexpr std::int64_t kMaxPoisonOnCpu = std::int64_t{8} << 20U;
/// What malloc wants beyond a block, and what small allocations before the result take off its front.
constexpr std::int64_t kRoomOnCpu = 16384;
/// Enough to use up what else is free, as far as the most allows.
constexpr std::int64_t kMostBlocksOnCpu = 32;

/// An expanded buffer has one element in memory for many.
void copy_weight(const at::Tensor& target, const at::Tensor& source, const std::string& name) {
  at::Tensor written = target;
  at::Tensor read = source;
  for (std::int64_t dimension = 0; dimension < target.dim(); ++dimension) {
    if (target.stride(dimension) != 0 || target.size(dimension) < 2) continue;
    written = written.narrow(dimension, 0, 1);
    read = read.narrow(dimension, 0, 1);
  }
  if (read.numel() != source.numel() && !at::equal(read.expand_as(source), source)) {
    throw py::value_error(fmt::format("weights cannot be copied: '{}' is one value for many in ModelNew", name));
  }
  written.copy_(read);
}

}  // namespace

Attempt<std::unique_ptr<Subject>> PythonSubject::load(const messages::Load& request, Device& device,
                                                      const Arena& arena) {
  if (auto set = attempt([&] { use_extensions_of(request.artefact_folder); }); !set) {
    return tl::unexpected(std::move(set).error());
  }
  AUTOKERNEL_TRY_ASSIGN(const py::object module, load_module(request.candidate_path, "autokernel_candidate"));
  AUTOKERNEL_TRY_ASSIGN(py::object model_class, member_of(module, "ModelNew", "class"));
  return std::unique_ptr<Subject>(new PythonSubject(request, device, arena, std::move(model_class)));
}

Attempt<std::vector<std::string>> PythonSubject::instantiate(const messages::Instantiate& request) {
  drop();
  model_ = py::object();
  if (!problem_) {
    AUTOKERNEL_TRY_ASSIGN(problem_, load_module(problem_path_, "autokernel_problem"));
  }
  AUTOKERNEL_TRY_ASSIGN(const py::tuple initial, initial_inputs(problem_, request.seed, device_, precision_));
  AUTOKERNEL_TRY_ASSIGN(model_, construct(model_class_, initial, request.seed, request.source, device_, precision_));
  if (!request.weights.empty()) AUTOKERNEL_TRY(copy_weights(request.weights));
  return attempt([&] {
    std::vector<std::string> names;
    for (const py::handle name : py::list(model_.attr("state_dict")())) names.push_back(py::str(name));
    return names;
  });
}

Attempt<void> PythonSubject::copy_weights(const std::vector<messages::NamedTensor>& weights) {
  return attempt([&] {
    const c10::NoGradGuard no_grad;
    const py::dict state = model_.attr("state_dict")();
    const auto tensors = std::count_if(state.begin(), state.end(),
                                       [](const auto& entry) { return THPVariable_Check(entry.second.ptr()); });
    if (static_cast<std::size_t>(tensors) != weights.size()) {  // get_extra_state() adds what is no tensor
      throw py::value_error(
          fmt::format("weights cannot be copied: ModelNew has {} of them, Model has {}", tensors, weights.size()));
    }
    for (const messages::NamedTensor& weight : weights) {
      if (!state.contains(weight.name) || !THPVariable_Check(py::object(state[weight.name.c_str()]).ptr())) {
        throw py::value_error(fmt::format("weights cannot be copied: ModelNew has no '{}'", weight.name));
      }
      const auto source = arena_.tensor(weight.tensor);
      if (!source) throw py::value_error(source.error().message);
      const at::Tensor& target = THPVariable_Unpack(py::object(state[weight.name.c_str()]).ptr());
      if (target.sizes() != source->sizes()) {
        throw py::value_error(fmt::format("weights cannot be copied: '{}' has another shape in ModelNew", weight.name));
      }
      copy_weight(target, *source, weight.name);
    }
  });
}

Attempt<void> PythonSubject::prepare(std::span<const messages::CallInputs> calls, const messages::ResultPlace& place) {
  drop();
  if (!model_)
    return tl::unexpected(failed_with(messages::FailureKind::kException, "no instance of ModelNew: instantiate first"));
  arguments_.clear();
  for (const messages::CallInputs& call : calls) {
    auto arguments = arguments_from(call.arguments, arena_);
    if (!arguments) return tl::unexpected(failed_from(arguments.error()));
    arguments_.push_back(*std::move(arguments));
  }
  expected_.clear();
  for (const messages::TensorView* view : views_of(place.expected)) expected_.push_back(*view);
  return {};
}

Attempt<void> PythonSubject::poison() {
  // The same sizes as forward will ask for: the allocator hands these very blocks out again. Where there is no room for
  // them, forward will say so itself.
  const auto filled = attempt([&] {
    std::vector<at::Tensor> blocks;
    for (const messages::TensorView& view : expected_) {
      const auto dtype = dtype_from_name(view.dtype);
      if (!dtype) continue;
      const auto elements = std::accumulate(view.shape.begin(), view.shape.end(), std::int64_t{1}, std::multiplies<>());
      std::int64_t bytes = elements * static_cast<std::int64_t>(c10::elementSize(*dtype));
      if (bytes == 0 || (device_.is_cpu() && bytes > kMaxPoisonOnCpu)) continue;
      // An aligned allocation looks for more than it keeps: in a block of the very size it would not fit again. And
      // malloc may prefer another free block: many of them are poisoned.
      std::int64_t count = 1;
      if (device_.is_cpu()) {
        bytes += kRoomOnCpu;
        count = std::clamp<std::int64_t>(kMaxPoisonOnCpu / bytes, 1, kMostBlocksOnCpu);
      }
      for (std::int64_t i = 0; i < count; ++i) {
        at::Tensor block = at::empty({bytes}, at::TensorOptions().dtype(at::kByte).device(device_.torch_device()));
        static_cast<void>(device_.fill(block.mutable_data_ptr(), 0xFF, static_cast<std::uint64_t>(bytes)));
        blocks.push_back(std::move(block));
      }
    }
  });
  static_cast<void>(filled);
  return {};
}

Attempt<void> PythonSubject::invoke(std::size_t call) {
  AUTOKERNEL_TRY_ASSIGN(result_, call_model(model_, arguments_.at(call)));
  return {};
}

Description PythonSubject::result() { return describe_object(result_, device_); }

}  // namespace autokernel::runner
