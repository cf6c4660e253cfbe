#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/protocol/record.hpp"
#include "common/protocol/value.hpp"
#include "common/result/result.hpp"
#include "kernelbench/scoring/baseline.hpp"
#include "kernelbench/scoring/sheet.hpp"

namespace autokernel::kernelbench {

/// A row of KernelBench's eval_results.json: one sample.
struct EvalRow {
  int sample_id = 0;
  bool compiled = false;
  bool correctness = false;
  protocol::Value::Map metadata;
  double runtime = -1;  ///< milliseconds; -1: not timed
  std::optional<TimingStats> stats;
};

/// KernelBench's file: rows by problem number. The level is not in it.
using EvalResults = std::map<int, std::vector<EvalRow>>;

/// The row that KernelBench would have written, with one more metadata key, `autokernel_verdict`. nullopt for records
/// that say nothing about a candidate (baseline, problem_error, infrastructure): KernelBench counts a missing row as
/// failed.
[[nodiscard]] std::optional<EvalRow> eval_row_of(const protocol::Record& record);

/// The rows of one level's records; of several for one sample the last counts.
[[nodiscard]] EvalResults eval_results_of(std::span<const protocol::Record> records, int level);

/// "eval_results.json" for a run over one level. KernelBench's file does not say which level it is about, so a run over
/// more gets one file each, "eval_results_level<N>.json".
[[nodiscard]] std::string eval_results_file_name(int level, bool only_level);

[[nodiscard]] std::string eval_results_text(const EvalResults& results);

/// kInvalid: not JSON, or not of this form (names problem and field). Rows of a problem may be a list, or one object as
/// older versions wrote; null stands for no row, and for a field that says nothing: not timed, not correct.
[[nodiscard]] Result<EvalResults> parse_eval_results(std::string_view text);

/// What scoring needs of a KernelBench evaluation. A problem's baseline is found by its name, so rows whose number is
/// not in `problems` get no ratio.
[[nodiscard]] std::vector<Outcome> outcomes_of(const EvalResults& results, int level,
                                               std::span<const ScoredProblem> problems, const Baseline& baseline);

}  // namespace autokernel::kernelbench
