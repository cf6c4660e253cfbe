#include "worker/runner/judge/timed_result.hpp"

#include <fmt/format.h>

#include "worker/runner/compare/structure.hpp"
#include "worker/runner/judge/foreign_text.hpp"

namespace autokernel::judge {

namespace {

/// One call outside of timing, in the same place of the arena.
Asked<bool> answers_rightly(Evaluation& evaluation, std::uint64_t seed, std::size_t set) {
  if (evaluation.parts().problem.depends_on_state) {
    AUTOKERNEL_TRY(evaluation.restart_from(evaluation.source()));
  }
  AUTOKERNEL_TRY_ASSIGN(const Trial trial, evaluation.make_trial(seed, {Placement::kDense, set}));
  AUTOKERNEL_TRY_ASSIGN(const auto found, evaluation.forward(trial));
  return evaluation.compare(trial, found).passed;
}

Fault blame(Evaluation& evaluation, std::uint64_t seed, std::size_t set, const std::string& detail) {
  const auto now = answers_rightly(evaluation, seed, set);
  if (!now) return now.error();
  if (*now) {
    return cheating("timed_output",
                    "a timed call gives another result than the same call outside of timing: " + detail);
  }
  const auto seeds = evaluation.trial_seeds();
  const auto then = seeds.empty() ? Asked<bool>(true) : answers_rightly(evaluation, seeds.front(), 0);
  if (!then) return then.error();
  if (!*then) return cheating("timed_output", "its results changed once it was timed: " + detail);
  return untimed(fmt::format("no timing: wrong on the inputs drawn for it (seed {}): {}", seed, detail));
}

}  // namespace

Fault untimed(std::string detail) { return fault_with(protocol::Verdict::kTimeout, std::move(detail)); }

std::optional<Fault> check_timed_result(Evaluation& evaluation, const TimedInputs& inputs, std::size_t index,
                                        const ReferenceBlocks::Block& own, const messages::BlockTimed& other) {
  if (!other.violation.empty())
    return cheating("timed_output", "in a timed call " + foreign_text(other.violation, 300));
  const Workbench& bench = evaluation.parts().bench;
  Trial trial;
  trial.seed = inputs.seed(index);
  trial.inputs = inputs.placed(index);
  trial.reference = own.kept;
  auto expected = bench.place_result(own.structure);
  if (!expected) return infrastructure_fault(expected.error());
  trial.expected = *std::move(expected);
  if (auto lie = check_places(other.result, trial.expected)) return lie;
  const messages::Tolerance& tolerance = evaluation.tolerance();
  if (auto words =
          compare::structure_difference(other.result, trial.expected, tolerance.absolute, tolerance.relative)) {
    return cheating("timed_output", "in a timed call " + foreign_text(*words, 300));
  }
  const auto found = runner::tensors_from(trial.expected, bench.arena());
  if (!found) return infrastructure_fault(found.error());
  if (auto placed = inputs.place(index); !placed) return placed.error();  // a candidate may have written to them
  const Comparison comparison = evaluation.compare(trial, *found);
  if (comparison.passed || comparison.reference_is_nan) return std::nullopt;
  return blame(evaluation, trial.seed, trial.inputs.set, comparison.detail);
}

}  // namespace autokernel::judge
