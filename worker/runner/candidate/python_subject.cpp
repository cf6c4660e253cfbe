#include "worker/runner/candidate/python_subject.hpp"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/python_variable.h>

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
constexpr int kBlocksOnCpu = 4;

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
    if (state.size() != weights.size()) {
      throw py::value_error(
          fmt::format("weights cannot be copied: ModelNew has {} of them, Model has {}", state.size(), weights.size()));
    }
    for (const messages::NamedTensor& weight : weights) {
      if (!state.contains(weight.name)) {
        throw py::value_error(fmt::format("weights cannot be copied: ModelNew has no '{}'", weight.name));
      }
      const auto source = arena_.tensor(weight.tensor);
      if (!source) throw py::value_error(source.error().message);
      const at::Tensor& target = THPVariable_Unpack(py::object(state[weight.name.c_str()]).ptr());
      if (target.sizes() != source->sizes()) {
        throw py::value_error(fmt::format("weights cannot be copied: '{}' has another shape in ModelNew", weight.name));
      }
      target.copy_(*source);
    }
  });
}

Attempt<void> PythonSubject::prepare(const messages::Call& call) {
  drop();
  if (!model_)
    return tl::unexpected(failed_with(messages::FailureKind::kException, "no instance of ModelNew: instantiate first"));
  auto arguments = arguments_from(call.arguments, arena_);
  if (!arguments) return tl::unexpected(failed_from(arguments.error()));
  arguments_ = *std::move(arguments);
  expected_.clear();
  for (const messages::TensorView* view : views_of(call.expected)) expected_.push_back(*view);
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
      // malloc may prefer another free block: several of them are poisoned.
      if (device_.is_cpu()) bytes += kRoomOnCpu;
      for (int i = 0; i < (device_.is_cpu() ? kBlocksOnCpu : 1); ++i) {
        at::Tensor block = at::empty({bytes}, at::TensorOptions().dtype(at::kByte).device(device_.torch_device()));
        static_cast<void>(device_.fill(block.mutable_data_ptr(), 0xFF, static_cast<std::uint64_t>(bytes)));
        blocks.push_back(std::move(block));
      }
    }
  });
  static_cast<void>(filled);
  return {};
}

Attempt<void> PythonSubject::invoke() {
  AUTOKERNEL_TRY_ASSIGN(result_, call_model(model_, arguments_));
  return {};
}

Description PythonSubject::result() { return describe_object(result_, device_); }

}  // namespace autokernel::runner
