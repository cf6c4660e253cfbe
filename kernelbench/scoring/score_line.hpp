#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "kernelbench/scoring/outcome.hpp"

namespace autokernel::kernelbench {

/// fast_p as counts: how many problems of `scored` are accepted and strictly faster than p.
struct FastP {
  double p = 0;
  std::size_t count = 0;     ///< by the measured speedup
  std::size_t sure = 0;      ///< the whole interval lies above p
  std::size_t possible = 0;  ///< some of the interval does, or the candidate was not timed
};

struct GeometricMean {
  double value = 0;
  double low = 0;  ///< of the intervals' low ends: a bound, wider than a confidence interval of the mean
  double high = 0;
  std::size_t over = 0;  ///< how many speedups it rests on
};

/// One way of scoring a set of problems. Shares are counts over `scored`, as KernelBench's fast_p is.
struct ScoreLine {
  std::size_t scored = 0;    ///< problems that fast_p divides by: all of them, or those with a baseline entry
  std::size_t accepted = 0;  ///< correct ones (or robust ones) among them
  std::size_t timed = 0;     ///< accepted ones with a speedup
  std::vector<FastP> fast;
  std::optional<GeometricMean> geomean;  ///< nullopt where nothing accepted was timed
  bool timing_asked = true;              ///< false in a run without timing

  /// False where nobody was to time, or something was accepted but nothing timed: fast_p would then say 0 for what is
  /// not known.
  [[nodiscard]] bool speed_known() const { return timing_asked && (accepted == 0 || timed > 0); }
};

enum class Criterion { kCorrect, kRobust };
enum class Measure { kPaired, kMeans };

/// Scores one outcome per problem; nullptr stands for a missing one and counts as failed.
[[nodiscard]] ScoreLine score_line(std::span<const Outcome* const> outcomes, Criterion criterion, Measure measure,
                                   std::span<const double> thresholds);

/// The speedup of an outcome by a measure; nullopt when it was not timed.
[[nodiscard]] std::optional<Speedup> speedup_of(const Outcome& outcome, Measure measure);
[[nodiscard]] bool accepts(Criterion criterion, const Outcome& outcome);

}  // namespace autokernel::kernelbench
