#include "kernelbench/export/tsv_outcomes.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "common/protocol/describe.hpp"
#include "common/protocol/verdict.hpp"
#include "kernelbench/candidate/name.hpp"
#include "kernelbench/problem/catalogue.hpp"

namespace autokernel::kernelbench {
namespace {

using protocol::Verdict;

/// "level1/19_ReLU" is problem 19 of level 1.
std::optional<ScoredProblem> problem_of(std::string_view kernel_type) {
  const std::string name = std::string(kernel_type) + ".py";
  const std::size_t slash = name.find('/');
  if (slash == std::string::npos) return std::nullopt;
  const auto level = parse_level_folder(std::string_view(name).substr(0, slash));
  const auto file = parse_problem_file_name(std::string_view(name).substr(slash + 1));
  if (!level || !file) return std::nullopt;
  return ScoredProblem{*level, file->id, name};
}

std::optional<int> sample_of(const std::string& tag) {
  if (const auto name = parse_candidate_name(tag)) return name->sample;
  if (const auto name = parse_mirrored_name(tag)) return name->sample;
  return std::nullopt;
}

std::optional<Verdict> verdict_of(const std::string& description) {
  return protocol::parse_name<Verdict>(std::string_view(description).substr(0, description.find(':')));
}

Outcome outcome_of(const TsvRow& row, const ScoredProblem& problem) {
  Outcome outcome;
  outcome.level = problem.level;
  outcome.problem_id = problem.id;
  outcome.correct = row.correctness == "PASS";
  outcome.compiled = true;
  outcome.verdict = row.correctness;
  outcome.detail = row.description;
  if (const auto verdict = verdict_of(row.description)) {
    outcome.verdict = protocol::name_of(*verdict);
    outcome.missing = counts_as_missing(*verdict);
    outcome.compiled = !outcome.missing && *verdict != Verdict::kCompileError && *verdict != Verdict::kLoadError;
    outcome.robust = outcome.correct && *verdict == Verdict::kRobust;
  }
  const double speedup = row.speedup_vs_pytorch.value_or(0);
  if (std::isfinite(speedup) && speedup > 0) outcome.paired = Speedup{speedup, speedup, speedup};
  return outcome;
}

}  // namespace

Result<TsvOutcomes> tsv_outcomes(std::span<const TsvRow> rows) {
  TsvOutcomes result;
  std::map<std::pair<int, int>, ScoredProblem> problems;
  std::map<std::pair<int, int>, int> next_sample;
  for (const TsvRow& row : rows) {
    const auto problem = problem_of(row.kernel_type);
    if (!problem) {
      return fail(Code::kInvalid,
                  "results.tsv: experiment {} is about '{}', which is no problem's name: level1/19_ReLU is one",
                  row.experiment, row.kernel_type.substr(0, 60));
    }
    const std::pair key{problem->level, problem->id};
    problems.emplace(key, *problem);
    Outcome outcome = outcome_of(row, *problem);
    outcome.sample = sample_of(row.tag).value_or(next_sample[key]);
    next_sample[key] = std::max(next_sample[key], outcome.sample + 1);
    if (!verdict_of(row.description)) result.robust_known = false;
    result.outcomes.push_back(std::move(outcome));
  }
  for (auto& [key, problem] : problems) result.problems.push_back(std::move(problem));
  return result;
}

}  // namespace autokernel::kernelbench
