#include "worker/runner/judge/reference_blocks.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <numeric>

#include "worker/runner/python/model.hpp"

namespace py = pybind11;

namespace autokernel::judge {

ReferenceBlocks::ReferenceBlocks(PreparedProblem& problem, const Workbench& bench, PhaseClock& phases,
                                 protocol::InputSource source)
    : problem_(problem), bench_(bench), phases_(phases), source_(source), random_(compare::secret_number()) {}

Asked<void> ReferenceBlocks::draw(std::int64_t calls, std::int64_t kept) {
  seeds_.resize(static_cast<std::size_t>(calls));
  for (std::uint64_t& seed : seeds_) seed = random_() & 0xFFFFFFFFU;
  return draw_from(std::min(static_cast<std::size_t>(kept), inputs_.size()));
}

Asked<void> ReferenceBlocks::redraw() { return draw_from(0); }

Asked<void> ReferenceBlocks::draw_from(std::size_t first) {
  const double before = phases_.seconds_of("inputs");
  {
    const auto span = phases_.span("inputs");
    inputs_.resize(first);
    for (std::size_t set = first; set < seeds_.size(); ++set) {
      auto inputs = problem_.problem.make_inputs(seeds_[set], source_);
      if (!inputs) return tl::unexpected(problem_fault(inputs.error(), "get_inputs()"));
      inputs->arguments = pybind11::tuple();
      auto placed = bench_.write(inputs->description, {Placement::kDense, set});
      if (!placed) return tl::unexpected(infrastructure_fault(placed.error()));
      inputs_.push_back(*std::move(placed));
    }
    if (auto idle = problem_.problem.device().synchronize(); !idle)
      return tl::unexpected(infrastructure_fault(idle.error()));
  }
  draw_seconds_ = (phases_.seconds_of("inputs") - before) / static_cast<double>(seeds_.size() - first);
  return {};
}

std::vector<messages::CallInputs> ReferenceBlocks::calls(std::int64_t calls) const {
  std::vector<messages::CallInputs> inputs;
  for (std::size_t i = 0; i < static_cast<std::size_t>(calls); ++i)
    inputs.push_back({seeds_.at(i), inputs_.at(i).items});
  return inputs;
}

Asked<ReferenceBlocks::Block> ReferenceBlocks::run(const runner::BlockPlan& plan, std::int64_t keep) {
  const auto span = phases_.span("timing_reference");
  runner::Device& device = problem_.problem.device();
  std::optional<Fault> fault;
  py::object result;
  py::object kept;
  runner::BlockSteps steps;
  steps.before = [&](int index) -> Result<void> {
    runner::seed_all(seeds_.at(static_cast<std::size_t>(index)), device);
    return {};
  };
  steps.call = [&](int index) -> Result<void> {
    auto called = problem_.problem.call(inputs_.at(static_cast<std::size_t>(index)).arguments);
    if (!called) {
      fault = problem_fault(called.error(), "a timed forward");
      return fail(Code::kInvalid, "the reference failed");
    }
    result = *std::move(called);
    return {};
  };
  steps.after = [&](int index) -> Result<void> {
    if (index == keep) kept = result;
    result = py::object();
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
