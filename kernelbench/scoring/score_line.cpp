#include "kernelbench/scoring/score_line.hpp"

#include <cmath>

namespace autokernel::kernelbench {

std::optional<Speedup> speedup_of(const Outcome& outcome, Measure measure) {
  if (measure == Measure::kPaired) return outcome.paired;
  if (!outcome.means) return std::nullopt;
  return Speedup{*outcome.means, *outcome.means, *outcome.means};
}

bool accepts(Criterion criterion, const Outcome& outcome) {
  if (outcome.missing) return false;
  return criterion == Criterion::kCorrect ? outcome.correct : outcome.robust;
}

ScoreLine score_line(std::span<const Outcome* const> outcomes, Criterion criterion, Measure measure,
                     std::span<const double> thresholds) {
  ScoreLine line;
  line.scored = outcomes.size();
  for (const double p : thresholds) line.fast.push_back(FastP{p, 0, 0, 0});
  double sum = 0;
  double sum_low = 0;
  double sum_high = 0;
  for (const Outcome* outcome : outcomes) {
    if (outcome == nullptr || !accepts(criterion, *outcome)) continue;
    ++line.accepted;
    const auto speedup = speedup_of(*outcome, measure);
    for (FastP& fast : line.fast) {
      if (speedup && speedup->value > fast.p) ++fast.count;
      if (speedup && speedup->low > fast.p) ++fast.sure;
      if (!speedup || speedup->high > fast.p) ++fast.possible;
    }
    if (!speedup) continue;
    ++line.timed;
    sum += std::log(speedup->value);
    sum_low += std::log(speedup->low);
    sum_high += std::log(speedup->high);
  }
  if (line.timed > 0) {
    const auto mean = [&](double logs) { return std::exp(logs / static_cast<double>(line.timed)); };
    line.geomean = GeometricMean{mean(sum), mean(sum_low), mean(sum_high), line.timed};
  }
  return line;
}

}  // namespace autokernel::kernelbench
