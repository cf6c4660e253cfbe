#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/protocol/record.hpp"
#include "kernelbench/scoring/baseline.hpp"

namespace autokernel::kernelbench {

/// A speedup with what it may be at worst and at best; all three are equal where no interval was measured.
struct Speedup {
  double value = 0;
  double low = 0;
  double high = 0;
  bool operator==(const Speedup&) const = default;
};

/// What scoring needs to know of one evaluated sample, wherever it came from: a record of ours or a row of
/// KernelBench's.
struct Outcome {
  int level = 0;
  int problem_id = 0;
  int sample = 0;
  std::string verdict;   ///< name of the verdict, for counting
  bool missing = false;  ///< counted as if the sample were not there: problem_error, infrastructure
  bool compiled = false;
  bool correct = false;
  bool robust = false;
  std::optional<Speedup> paired;  ///< ours: median of paired ratios
  std::optional<double>
      means;                ///< KernelBench's: baseline mean over candidate mean, both to three digits; finite, over 0
  bool by_float64 = false;  ///< stage 2 was decided by the float64 rule
  std::vector<std::string> vacuous;
  std::string detail;
};

/// The outcome of an `evaluate` record. With a baseline its mean is divided by the candidate's; without, the record's
/// own reference mean is.
[[nodiscard]] Outcome outcome_of(const protocol::Record& record, const Baseline* baseline = nullptr);

/// KernelBench's ratio, or nothing where it means nothing: not timed (KernelBench stores -1), zero, or not finite.
[[nodiscard]] std::optional<double> ratio_of_means(double reference_ms, double candidate_ms);

/// True where the candidate was built and loaded, so that KernelBench would say `compiled`.
[[nodiscard]] bool counts_as_compiled(const protocol::Record& record);

/// True where a record says nothing about its candidate.
[[nodiscard]] bool counts_as_missing(protocol::Verdict verdict);

}  // namespace autokernel::kernelbench
