#include "client/run/outputs.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string_view>
#include <tuple>

#include "client/run_folder/run_folder.hpp"
#include "common/system/file.hpp"
#include "kernelbench/export/eval_results.hpp"
#include "kernelbench/export/json.hpp"
#include "kernelbench/export/results_tsv.hpp"
#include "kernelbench/export/scores_json.hpp"
#include "kernelbench/export/sheet_text.hpp"
#include "kernelbench/problem/catalogue.hpp"
#include "kernelbench/rules/rules.hpp"

namespace autokernel::client {
namespace {

/// A record's phases also hold what happened before the lane, and two sums over other phases: the judge's preparation,
/// whose own phases stand beside it, and the share that the device worked.
bool is_part_of_lane_time(const std::string& phase) {
  constexpr std::array<std::string_view, 3> kBeforeTheLane{"build", "build_wait", "queue_wait"};
  constexpr std::array<std::string_view, 2> kSums{"judge_prepare", "gpu_seconds"};
  return std::find(kBeforeTheLane.begin(), kBeforeTheLane.end(), phase) == kBeforeTheLane.end() &&
         std::find(kSums.begin(), kSums.end(), phase) == kSums.end();
}

}  // namespace

kernelbench::ScoreSheet sheet_of(const std::vector<protocol::Record>& records,
                                 const std::vector<kernelbench::ScoredProblem>& problems,
                                 const kernelbench::Baseline* baseline, const protocol::EvaluationOptions& options) {
  kernelbench::ScoreInput input;
  input.problems = problems;
  input.baseline = baseline;
  input.robust_asked = options.stages == protocol::StageSet::kAll;
  input.timing_asked = options.timing;
  if (const auto table = kernelbench::find_rules(options.rules)) input.thresholds = (*table)->speedup_thresholds;
  for (const protocol::Record& record : records) {
    if (record.kind == protocol::JobKind::kEvaluate)
      input.outcomes.push_back(kernelbench::outcome_of(record, baseline));
  }
  return kernelbench::score(input);
}

Result<void> write_results(const std::filesystem::path& run, const std::vector<protocol::Record>& records) {
  std::set<int> levels;
  for (const protocol::Record& record : records) levels.insert(static_cast<int>(record.level));
  for (const int level : levels) {
    const auto path = run / kernelbench::eval_results_file_name(level, levels.size() == 1);
    const std::string text = kernelbench::eval_results_text(kernelbench::eval_results_of(records, level));
    AUTOKERNEL_TRY(system::write_file(path, text));
  }
  return system::write_file(run / "results.tsv", kernelbench::tsv_text(kernelbench::tsv_rows(records)));
}

Result<void> write_scores(const std::filesystem::path& run, const kernelbench::ScoreSheet& sheet) {
  return system::write_file(scores_path(run), kernelbench::to_pretty_json(kernelbench::scores_value(sheet)) + "\n");
}

std::map<std::string, double> phase_totals(const std::vector<protocol::Record>& records) {
  std::map<std::string, double> totals;
  for (const protocol::Record& record : records) {
    for (const auto& [phase, seconds] : record.phases) totals[phase] += seconds;
  }
  return totals;
}

LaneTime lane_time(const std::vector<protocol::Record>& records) {
  LaneTime time;
  for (const protocol::Record& record : records) time.seconds += record.seconds;
  double named = 0;
  for (const auto& [phase, seconds] : phase_totals(records)) {
    if (is_part_of_lane_time(phase) && seconds > 0) {
      time.parts[phase] = seconds;
      named += seconds;
    }
  }
  if (time.seconds > named) time.parts["other"] = time.seconds - named;
  return time;
}

std::string lane_time_text(const LaneTime& time) {
  if (time.seconds <= 0) return "";
  std::vector<std::pair<std::string, double>> sorted(time.parts.begin(), time.parts.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string parts;
  for (const auto& [phase, seconds] : sorted) {
    if (seconds < 0.05 && !parts.empty()) break;  // the rest would all read 0.0
    parts += fmt::format("{}{} {:.1f}", parts.empty() ? "" : ", ", phase, seconds);
  }
  return fmt::format("lane time: {:.1f} s ({})", time.seconds, parts);
}

std::vector<kernelbench::ScoredProblem> problems_of(const RunDescription& description) {
  std::vector<kernelbench::ScoredProblem> problems;
  for (const auto& [name, digest] : description.problem_digests) {
    const std::filesystem::path path(name);
    kernelbench::ScoredProblem problem;
    problem.name = name;
    problem.level = kernelbench::parse_level_folder(path.parent_path().filename().string()).value_or(0);
    const auto parsed = kernelbench::parse_problem_file_name(path.filename().string());
    problem.id = parsed ? parsed->id : 0;
    problems.push_back(problem);
  }
  std::sort(problems.begin(), problems.end(), [](const auto& left, const auto& right) {
    return std::tie(left.level, left.id, left.name) < std::tie(right.level, right.id, right.name);
  });
  return problems;
}

void print_sheet(const kernelbench::ScoreSheet& sheet) {
  std::fputs(kernelbench::sheet_text(sheet, stdout_colours()).c_str(), stdout);
}

void print_json(const protocol::Value& value) { std::printf("%s\n", kernelbench::to_pretty_json(value).c_str()); }

bool stdout_colours() {
  const char* no_color = std::getenv("NO_COLOR");
  return ::isatty(STDOUT_FILENO) == 1 && (no_color == nullptr || *no_color == '\0');
}

}  // namespace autokernel::client
