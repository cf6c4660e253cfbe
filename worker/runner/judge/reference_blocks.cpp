#include "worker/runner/judge/reference_blocks.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <optional>
#include <thread>

#include "worker/runner/python/model.hpp"

namespace py = pybind11;

namespace autokernel::judge {

namespace {

/// About as long as a candidate waits between what it does before a call and the call.
constexpr std::chrono::milliseconds kWait{1};

}  // namespace

Asked<ReferenceBlocks::Block> ReferenceBlocks::run(const runner::BlockPlan& plan, std::int64_t keep) {
  const auto span = phases_.span("timing_reference");
  runner::Device& device = problem_.problem.device();
  std::optional<Fault> fault;
  py::object result;
  py::object kept;
  runner::BlockSteps steps;
  // Before the flush, not after it: copying wakes threads, which then spin into the call. A candidate's were asleep.
  steps.before = [&](int index) -> Result<void> {
    runner::seed_all(inputs_.seed(static_cast<std::size_t>(index)), device);
    auto placed = inputs_.place(static_cast<std::size_t>(index));
    if (placed) return {};
    fault = std::move(placed).error();
    return fail(Code::kUnavailable, "the inputs cannot be put in place");
  };
  // A candidate's call begins after a wait for its inputs, and on a busy machine the scheduler favours who has waited.
  if (inputs_.in_turn()) {
    steps.inputs = [](int) -> Result<void> {
      std::this_thread::sleep_for(kWait);
      return {};
    };
  }
  steps.call = [&](int index) -> Result<void> {
    result = py::object();  // with whatever its end costs, as in the candidate's process
    auto called = problem_.problem.call(inputs_.placed(static_cast<std::size_t>(index)).arguments);
    if (!called) {
      fault = problem_fault(called.error(), "a timed forward");
      return fail(Code::kInvalid, "the reference failed");
    }
    result = *std::move(called);
    return {};
  };
  steps.after = [&](int index) -> Result<void> {
    if (index == keep) kept = result;
    return {};
  };
  problem_.used = true;
  auto samples = runner::run_block(device, plan, steps);
  if (fault) return tl::unexpected(*std::move(fault));
  if (!samples) return tl::unexpected(infrastructure_fault(samples.error()));

  Block block;
  const double claimed = std::accumulate(samples->samples_us.begin(), samples->samples_us.end(), 0.0);
  const double held = plan.hold.of_block(plan.calls);
  block.per_call_us = std::max(0.0, samples->wall_us - held - claimed) / static_cast<double>(plan.calls);
  block.samples = *std::move(samples);
  if (kept) {
    auto description = runner::describe_object(kept, device, "the reference's output");
    for (const at::Tensor& tensor : description.tensors) {
      block.kept.push_back(bench_.is_in_arena(tensor) ? tensor.clone() : tensor);
    }
    block.structure = std::move(description.item);
  }
  return block;
}

}  // namespace autokernel::judge
