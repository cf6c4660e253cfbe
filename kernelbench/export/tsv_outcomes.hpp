#pragma once

#include <span>
#include <vector>

#include "common/result/result.hpp"
#include "kernelbench/export/results_tsv.hpp"
#include "kernelbench/scoring/sheet.hpp"

namespace autokernel::kernelbench {

/// What a results.tsv can be scored by.
struct TsvOutcomes {
  std::vector<ScoredProblem> problems;  ///< those of its rows, each once, in order of level and number
  std::vector<Outcome> outcomes;        ///< speedups without an interval; no ratios of means, which the file has not
  bool robust_known = true;             ///< every description begins with a verdict of ours
};

/// kInvalid: a row's kernel_type names no problem as "level1/19_ReLU" does (names the experiment). A row's sample is
/// that of its tag; a tag that is no candidate's name counts on from the problem's last.
[[nodiscard]] Result<TsvOutcomes> tsv_outcomes(std::span<const TsvRow> rows);

}  // namespace autokernel::kernelbench
