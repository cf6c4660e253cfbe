#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "client/run_folder/description.hpp"
#include "common/protocol/record.hpp"
#include "common/protocol/value.hpp"
#include "common/result/result.hpp"
#include "kernelbench/scoring/sheet.hpp"

namespace autokernel::client {

/// The score sheet of a run's verdicts under the options that it had. With a baseline KernelBench's line uses its times
/// instead of the run's own.
[[nodiscard]] kernelbench::ScoreSheet sheet_of(const std::vector<protocol::Record>& records,
                                               const std::vector<kernelbench::ScoredProblem>& problems,
                                               const kernelbench::Baseline* baseline,
                                               const protocol::EvaluationOptions& options);

/// KernelBench's eval_results.json (one file per level, where there are several) and results.tsv.
[[nodiscard]] Result<void> write_results(const std::filesystem::path& run,
                                         const std::vector<protocol::Record>& records);

/// scores.json, which marks the run as finished.
[[nodiscard]] Result<void> write_scores(const std::filesystem::path& run, const kernelbench::ScoreSheet& sheet);

/// Seconds of all records by phase, also of those before the lane (waiting, building).
[[nodiscard]] std::map<std::string, double> phase_totals(const std::vector<protocol::Record>& records);

/// Where the devices' time went.
struct LaneTime {
  double seconds = 0;                   ///< of every turn on a lane, by the lane's own clock
  std::map<std::string, double> parts;  ///< add up to `seconds`; "other" is what no phase names
};
[[nodiscard]] LaneTime lane_time(const std::vector<protocol::Record>& records);
/// "lane time: 312.0 s (timing_candidate 120.0, inputs 60.0, …)", the largest first, tiny ones left out; empty
/// when nothing was on a lane.
[[nodiscard]] std::string lane_time_text(const LaneTime& time);

/// The problems that a run's description names.
[[nodiscard]] std::vector<kernelbench::ScoredProblem> problems_of(const RunDescription& description);

/// To stdout.
void print_sheet(const kernelbench::ScoreSheet& sheet);
void print_json(const protocol::Value& value);

/// True where stdout is a terminal that wants colours.
[[nodiscard]] bool stdout_colours();

}  // namespace autokernel::client
