#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/protocol/record.hpp"
#include "common/result/result.hpp"
#include "kernelbench/scoring/baseline.hpp"
#include "kernelbench/scoring/sheet.hpp"

namespace autokernel::kernelbench {

/// KernelBench's results/timing/<hardware>/<config>.json: {"level1": {"19_ReLU.py": {"mean": …}}}; null where it
/// failed.
[[nodiscard]] std::string baseline_text(const Baseline& baseline);

/// kInvalid: not JSON, or not of this form; names the level and the problem. Keys other than levels are passed over.
[[nodiscard]] Result<Baseline> parse_baseline(std::string_view text);

/// The baseline that a run's `baseline` records make; problem_error becomes null. Of several for a problem the last
/// counts.
[[nodiscard]] Baseline baseline_of(std::span<const protocol::Record> records);

/// The problems that a baseline file knows, for scoring KernelBench's results without its problem folder.
[[nodiscard]] std::vector<ScoredProblem> problems_of(const Baseline& baseline, int level);

}  // namespace autokernel::kernelbench
