#include "kernelbench/export/tsv_outcomes.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "common/protocol/describe.hpp"
#include "common/protocol/verdict.hpp"
#include "kernelbench/candidate/name.hpp"

namespace autokernel::kernelbench {
namespace {

using protocol::Verdict;

/// The number that `text` begins with, and what follows it.
std::optional<std::pair<int, std::string_view>> number_at(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 0) return std::nullopt;
  return std::pair{number, text.substr(static_cast<std::size_t>(end - text.data()))};
}

/// "level1/19_ReLU" is problem 19 of level 1.
std::optional<ScoredProblem> problem_of(std::string_view kernel_type) {
  constexpr std::string_view kFolder = "level";
  if (!kernel_type.starts_with(kFolder)) return std::nullopt;
  const auto level = number_at(kernel_type.substr(kFolder.size()));
  if (!level || !level->second.starts_with('/')) return std::nullopt;
  const auto number = number_at(level->second.substr(1));
  if (!number || !number->second.starts_with('_')) return std::nullopt;
  return ScoredProblem{level->first, number->first, std::string(kernel_type) + ".py"};
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
    outcome.missing = *verdict == Verdict::kProblemError || *verdict == Verdict::kInfrastructure;
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
