#include "kernelbench/scoring/outcome.hpp"

#include <algorithm>
#include <cmath>

#include "common/protocol/describe.hpp"

namespace autokernel::kernelbench {
namespace {

using protocol::Record;
using protocol::Verdict;

std::optional<Speedup> paired_speedup(const Record& record) {
  if (!record.timing || !record.timing->speedup) return std::nullopt;
  const auto& interval = *record.timing->speedup;
  if (!std::isfinite(interval.median) || interval.median <= 0) return std::nullopt;
  // An end that is not a number bounds nothing: the ratio may be anything on that side.
  const double low = std::isnan(interval.low) ? 0 : std::clamp(interval.low, 0.0, interval.median);
  const double high = std::isnan(interval.high) ? HUGE_VAL : std::max(interval.high, interval.median);
  return Speedup{interval.median, low, high};
}

std::optional<double> mean_ratio(const Record& record, const Baseline* baseline) {
  if (!record.timing || !record.timing->candidate_us) return std::nullopt;
  const double candidate = three_digits(record.timing->candidate_us->mean / 1000);
  if (baseline == nullptr) return ratio_of_means(three_digits(record.timing->reference_us.mean / 1000), candidate);
  const TimingStats* stats = baseline->find(static_cast<int>(record.level), record.problem);
  return stats == nullptr ? std::nullopt : ratio_of_means(stats->mean, candidate);
}

}  // namespace

std::optional<double> ratio_of_means(double reference_ms, double candidate_ms) {
  if (!(candidate_ms > 0) || !(reference_ms > 0)) return std::nullopt;
  const double ratio = reference_ms / candidate_ms;
  if (!std::isfinite(ratio) || ratio <= 0) return std::nullopt;
  return ratio;
}

bool counts_as_missing(Verdict verdict) {
  return verdict == Verdict::kInfrastructure || verdict == Verdict::kProblemError;
}

bool counts_as_compiled(const Record& record) {
  if (counts_as_missing(record.verdict) || record.verdict == Verdict::kTimed) return false;
  if (record.verdict == Verdict::kCompileError || record.verdict == Verdict::kLoadError) return false;
  // A timeout, a crash or a lack of memory may have come while it was still being built.
  return std::none_of(record.stages.begin(), record.stages.end(), [](const protocol::StageReport& stage) {
    return stage.name == protocol::StageName::kBuild && stage.outcome == protocol::StageOutcome::kFailed;
  });
}

Outcome outcome_of(const Record& record, const Baseline* baseline) {
  Outcome outcome;
  outcome.level = static_cast<int>(record.level);
  outcome.problem_id = static_cast<int>(record.problem_id);
  outcome.sample = static_cast<int>(record.sample);
  outcome.verdict = protocol::name_of(record.verdict);
  outcome.missing = counts_as_missing(record.verdict);
  outcome.compiled = counts_as_compiled(record);
  // The verdict is what was decided; the flags beside it are for readers of the JSON, and are not trusted over it.
  outcome.correct = protocol::counts_as_correct(record.verdict);
  outcome.robust = record.verdict == Verdict::kRobust;
  outcome.paired = paired_speedup(record);
  outcome.means = mean_ratio(record, baseline);
  outcome.by_float64 = record.rule == "float64";
  outcome.vacuous = record.vacuous;
  outcome.detail = record.detail;
  return outcome;
}

}  // namespace autokernel::kernelbench
