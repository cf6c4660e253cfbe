#include "worker/runner/judge/timed_inputs.hpp"

#include <ATen/ATen.h>

#include <algorithm>

namespace autokernel::judge {

TimedInputs::TimedInputs(PreparedProblem& problem, const Workbench& bench, PhaseClock& phases,
                         protocol::InputSource source)
    : problem_(problem), bench_(bench), phases_(phases), source_(source), random_(compare::secret_number()) {}

Asked<void> TimedInputs::draw(std::int64_t calls, std::int64_t kept) {
  const std::size_t first = std::min(static_cast<std::size_t>(kept), calls_.size());
  calls_.resize(static_cast<std::size_t>(calls));
  for (std::size_t i = first; i < calls_.size(); ++i) calls_[i].seed = random_() & 0xFFFFFFFFU;
  return draw_from(first);
}

Asked<void> TimedInputs::redraw() { return draw_from(0); }

Asked<void> TimedInputs::draw_from(std::size_t first) {
  const double before = phases_.seconds_of("inputs");
  {
    const auto span = phases_.span("inputs");
    for (std::size_t set = first; set < calls_.size(); ++set) {
      Call& call = calls_[set];
      auto inputs = problem_.problem.make_inputs(call.seed, source_);
      if (!inputs) return tl::unexpected(problem_fault(inputs.error(), "get_inputs()"));
      inputs->arguments = pybind11::tuple();
      const InputPlace where{Placement::kDense, set};
      auto placed = in_turn() ? bench_.describe(inputs->description, where) : bench_.write(inputs->description, where);
      if (!placed) return tl::unexpected(infrastructure_fault(placed.error()));
      call.placed = *std::move(placed);
      if (!in_turn()) continue;
      call.drawn = std::move(inputs->description);
      for (at::Tensor& tensor : call.drawn.tensors) tensor = tensor.contiguous();
    }
    if (auto idle = problem_.problem.device().synchronize(); !idle)
      return tl::unexpected(infrastructure_fault(idle.error()));
  }
  if (calls_.size() > first)
    draw_seconds_ = (phases_.seconds_of("inputs") - before) / static_cast<double>(calls_.size() - first);
  return {};
}

Asked<void> TimedInputs::hide() const {
  for (std::size_t set = 0; set < bench_.layout().sets() && in_turn(); ++set) {
    for (const Slot& slot : bench_.layout().inputs_of(set)) {
      const auto hidden = bench_.arena().poison(slot.offset, slot.capacity);
      if (!hidden) return tl::unexpected(infrastructure_fault(hidden.error()));
    }
  }
  return {};
}

Asked<void> TimedInputs::place(std::size_t index) const {
  if (!in_turn()) return {};
  const Call& call = calls_.at(index);
  const auto copied = bench_.fill(call.placed, call.drawn);
  return copied ? Asked<void>() : tl::unexpected(infrastructure_fault(copied.error()));
}

std::vector<std::uint64_t> TimedInputs::checksums(const compare::Checksummer& sums) const {
  std::vector<std::uint64_t> all;
  for (std::size_t set = 0; set < calls_.size() && !in_turn(); ++set) {
    const auto of_set = bench_.input_checksums(sums, set);
    all.insert(all.end(), of_set.begin(), of_set.end());
  }
  return all;
}

std::vector<messages::CallInputs> TimedInputs::calls(std::int64_t calls) const {
  std::vector<messages::CallInputs> inputs;
  for (std::size_t i = 0; i < static_cast<std::size_t>(calls); ++i)
    inputs.push_back({calls_.at(i).seed, calls_.at(i).placed.items});
  return inputs;
}

}  // namespace autokernel::judge
