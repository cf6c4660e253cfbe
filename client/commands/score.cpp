#include <cstdio>
#include <filesystem>
#include <set>
#include <utility>

#include "client/commands/command.hpp"
#include "client/run/outputs.hpp"
#include "client/run_folder/run_folder.hpp"
#include "common/system/file.hpp"
#include "common/text/printable.hpp"
#include "kernelbench/export/baseline_json.hpp"
#include "kernelbench/export/eval_results.hpp"
#include "kernelbench/export/results_file.hpp"
#include "kernelbench/export/scores_json.hpp"
#include "kernelbench/export/tsv_outcomes.hpp"
#include "kernelbench/problem/catalogue.hpp"

namespace autokernel::client {
namespace {

namespace fs = std::filesystem;
using kernelbench::ScoredProblem;

constexpr std::size_t kMaxFileBytes = std::size_t{256} << 20U;

std::vector<ScoredProblem> problems_of(const kernelbench::Catalogue& catalogue) {
  std::vector<ScoredProblem> problems;
  for (const kernelbench::Problem& problem : catalogue.problems) {
    problems.push_back({problem.source.level, problem.source.id, problem.source.name});
  }
  return problems;
}

/// A run over a part of level 1 is scored over all of level 1, and not over the levels that it never was about.
std::vector<ScoredProblem> of_same_levels(std::vector<ScoredProblem> all, const std::vector<ScoredProblem>& some) {
  std::set<int> levels;
  for (const ScoredProblem& problem : some) levels.insert(problem.level);
  std::erase_if(all, [&](const ScoredProblem& problem) { return levels.count(problem.level) == 0; });
  return all;
}

/// ": score RUN_DIR instead" for a file of a run folder, since that holds all that a score needs; else nothing.
std::string run_folder_hint(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  std::error_code error;
  if (!fs::exists(description_path(folder), error)) return "";
  return fmt::format("; it lies in a run folder: autokernel score {}", folder.empty() ? "." : folder.string());
}

/// A wrong path is the call's own error, whichever way the system finds it wrong.
Result<void> check_baseline_path(const std::string& path) {
  std::error_code error;
  if (fs::is_regular_file(path, error)) return {};
  if (fs::is_directory(path, error)) {
    return fail(Code::kInvalid, "--baseline: '{}' is a folder: name a file like {}", path,
                finished_marker(path, "baseline").string());
  }
  return fail(Code::kNotFound, "--baseline: '{}' is not there: name a file that autokernel baseline wrote", path);
}

/// The score sheet of a run folder, or of a file that KernelBench or AutoKernel wrote.
class Score final : public ClientCommand {
 public:
  explicit Score(config::Program& program) {
    config::Command& command = program.command(
        "score", "prints the score sheet of a run folder, of KernelBench's eval_results.json or of a results.tsv",
        {"autokernel score runs/first", "autokernel score runs/first --baseline H200/baseline_time_torch.json --json",
         "autokernel score eval_results.json --level 1 --baseline H200/baseline_time_torch.json --problems "
         "KernelBench"});
    command.argument("RUN", what_, "a run folder, an eval_results.json or a results.tsv");
    command.optional_text("baseline", baseline_, "FILE", "reference times to score against, as KernelBench does");
    command.optional_text("problems", problems_, "DIR", "score over all problems of this folder's levels");
    command.optional_integer("level", level_, {0, 1000}, "the level that an eval_results.json is about");
    command.flag("json", json_, "print one JSON document on stdout");
  }

  Result<int> run() override {
    kernelbench::Baseline baseline;
    if (baseline_) {
      AUTOKERNEL_TRY(check_baseline_path(*baseline_));
      AUTOKERNEL_TRY_ASSIGN(const std::string text, system::read_file(*baseline_, kMaxFileBytes));
      auto parsed = kernelbench::parse_baseline(text);
      if (!parsed) return tl::unexpected(parsed.error().within(*baseline_));
      baseline = *std::move(parsed);
    }
    std::optional<kernelbench::Catalogue> catalogue;
    if (problems_) {
      AUTOKERNEL_TRY_ASSIGN(catalogue, kernelbench::load_catalogue(*problems_));
    }
    std::error_code error;
    if (!fs::exists(what_, error)) {
      return fail(Code::kNotFound, "'{}' is not there: name a run folder, an eval_results.json or a results.tsv",
                  what_);
    }
    const auto sheet = fs::is_directory(what_, error) ? of_run(baseline, catalogue) : of_file(baseline, catalogue);
    if (!sheet) return tl::unexpected(sheet.error());
    if (json_) {
      print_json(kernelbench::scores_value(*sheet));
    } else {
      print_sheet(*sheet);
    }
    return 0;
  }

 private:
  Result<kernelbench::ScoreSheet> of_run(const kernelbench::Baseline& baseline,
                                         const std::optional<kernelbench::Catalogue>& catalogue) const {
    AUTOKERNEL_TRY_ASSIGN(const RunDescription description, read_description(what_));
    if (description.command == "baseline") {
      return fail(Code::kInvalid, "'{}' holds reference times, no candidates: nothing to score", what_);
    }
    AUTOKERNEL_TRY_ASSIGN(const kernelbench::ResultsFile results, kernelbench::read_results(results_path(what_)));
    for (const std::string& defect : results.defects) {
      std::fprintf(stderr, "warning: %s\n", text::printable(defect).c_str());
    }
    auto problems = client::problems_of(description);
    if (catalogue) problems = of_same_levels(problems_of(*catalogue), problems);
    return sheet_of(results.records, problems, baseline_ ? &baseline : nullptr, description.options);
  }

  Result<kernelbench::ScoreSheet> of_file(const kernelbench::Baseline& baseline,
                                          const std::optional<kernelbench::Catalogue>& catalogue) const {
    AUTOKERNEL_TRY_ASSIGN(const std::string text, system::read_file(what_, kMaxFileBytes));
    if (fs::path(what_).extension() == ".tsv") return of_table(text, baseline, catalogue);
    auto results = kernelbench::parse_eval_results(text);
    if (!results) {
      Error error = results.error().within(what_);
      error.message += run_folder_hint(what_);
      return tl::unexpected(std::move(error));
    }
    AUTOKERNEL_TRY_ASSIGN(const int level, level_of_file(baseline, catalogue));
    kernelbench::ScoreInput input;
    if (catalogue) {
      for (ScoredProblem& problem : problems_of(*catalogue)) {
        if (problem.level == level) input.problems.push_back(std::move(problem));
      }
    } else {
      input.problems = kernelbench::problems_of(baseline, level);
    }
    if (input.problems.empty()) {
      return fail(Code::kInvalid,
                  "level {} has no problems to score over: give --problems, or a --baseline that has them", level);
    }
    input.outcomes = kernelbench::outcomes_of(*results, level, input.problems, baseline);
    input.baseline = baseline_ ? &baseline : nullptr;
    input.robust_known = false;
    return kernelbench::score(input);
  }

  /// AutoKernel's table has speedups, and no means for KernelBench's own score.
  Result<kernelbench::ScoreSheet> of_table(const std::string& text, const kernelbench::Baseline& baseline,
                                           const std::optional<kernelbench::Catalogue>& catalogue) const {
    auto read = kernelbench::parse_tsv(text).and_then(
        [](const std::vector<kernelbench::TsvRow>& rows) { return kernelbench::tsv_outcomes(rows); });
    if (!read) {
      Error error = read.error().within(what_);
      error.message += run_folder_hint(what_);
      return tl::unexpected(std::move(error));
    }
    kernelbench::ScoreInput input;
    input.problems = catalogue ? of_same_levels(problems_of(*catalogue), read->problems) : std::move(read->problems);
    if (input.problems.empty()) return fail(Code::kInvalid, "'{}' has no rows: nothing to score", what_);
    input.outcomes = std::move(read->outcomes);
    input.baseline = baseline_ ? &baseline : nullptr;
    input.robust_known = read->robust_known;
    return kernelbench::score(input);
  }

  /// KernelBench's file does not say its level: it is asked for, unless there is only one that it can be.
  Result<int> level_of_file(const kernelbench::Baseline& baseline,
                            const std::optional<kernelbench::Catalogue>& catalogue) const {
    if (level_) return static_cast<int>(*level_);
    std::vector<int> levels;
    if (catalogue) {
      levels = catalogue->levels();
    } else {
      for (const auto& [level, problems] : baseline.levels) levels.push_back(level);
    }
    if (levels.size() == 1) return levels.front();
    if (levels.empty()) {
      return fail(
          Code::kInvalid,
          "'{}' has no times of references: give --baseline FILE (see autokernel baseline), or --problems DIR{}", what_,
          run_folder_hint(what_));
    }
    return fail(Code::kInvalid, "'{}' does not say which level it is about: give --level (one of {})", what_,
                fmt::join(levels, ", "));
  }

  std::string what_;
  std::optional<std::string> baseline_;
  std::optional<std::string> problems_;
  std::optional<std::int64_t> level_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<ClientCommand> make_score(config::Program& program) { return std::make_unique<Score>(program); }

}  // namespace autokernel::client
