#include <fmt/format.h>

#include <algorithm>

#include "worker/runner/judge/stages.hpp"

namespace autokernel::judge {

using protocol::InputSource;
using protocol::StageName;
using protocol::StageOutcome;
using protocol::Verdict;

namespace {

Fault nan_in_reference() {
  return fault_with(Verdict::kProblemError,
                    "the reference's own output has a NaN in it on these inputs: no candidate can be compared with it");
}

StageResult sweep_once(Evaluation& evaluation) {
  protocol::Record& record = evaluation.parts().record;
  const auto seeds = evaluation.trial_seeds();
  record.trials = static_cast<std::int64_t>(seeds.size());
  record.trials_passed = 0;
  record.rule = "allclose";
  record.max_difference.reset();
  record.mean_difference.reset();
  for (std::size_t i = 0; i < seeds.size(); ++i) {
    const std::string during = fmt::format("trial {} of {} (seed {})", i + 1, seeds.size(), seeds[i]);
    // Elsewhere each time: what works by address (a captured graph) must fail here, in plain words.
    const std::size_t sets = evaluation.parts().bench.layout().sets();
    auto trial = evaluation.make_trial(seeds[i], {Placement::kDense, i % sets});
    if (!trial) return ended_by(StageName::kSweep, trial.error(), evaluation, during);
    auto found = evaluation.forward(*trial);
    if (!found) return ended_by(StageName::kSweep, found.error(), evaluation, during);
    const Comparison comparison = evaluation.compare(*trial, *found);
    if (!record.max_difference || comparison.max_difference > *record.max_difference) {
      record.max_difference = comparison.max_difference;
      record.mean_difference = comparison.mean_difference;
    }
    if (comparison.reference_is_nan) return ended_by(StageName::kSweep, nan_in_reference(), evaluation, during);
    if (!comparison.passed) return failed(StageName::kSweep, Verdict::kWrongOutput, during + ": " + comparison.detail);
    if (comparison.by_float64) record.rule = "float64";
    ++record.trials_passed;
  }
  return passed(StageName::kSweep,
                fmt::format("{} trials, largest difference {:.3g}{}", record.trials, record.max_difference.value_or(0),
                            record.rule == "float64" ? ", decided against float64" : ""));
}

}  // namespace

StageResult run_sweep(Evaluation& evaluation) {
  StageResult result = sweep_once(evaluation);
  const bool worth_repeating = result.report.outcome == StageOutcome::kFailed &&
                               result.verdict == Verdict::kWrongOutput && evaluation.source() == InputSource::kDevice &&
                               !evaluation.device().is_cpu();
  if (!worth_repeating) return result;
  // ModelNew may create its parameters in an order or on a device that only KernelBench's own way of drawing
  // reproduces.
  if (auto restarted = evaluation.restart_from(InputSource::kCpu); !restarted) {
    return ended_by(StageName::kSweep, restarted.error(), evaluation, "with weights and inputs drawn on the CPU");
  }
  result = sweep_once(evaluation);
  result.report.detail += " (weights and inputs drawn on the CPU, after a mismatch with those drawn on the device)";
  return result;
}

}  // namespace autokernel::judge
