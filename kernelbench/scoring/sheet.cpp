#include "kernelbench/scoring/sheet.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace autokernel::kernelbench {
namespace {

using ProblemKey = std::pair<int, int>;
using Samples = std::map<int, const Outcome*>;
using ByProblem = std::map<ProblemKey, Samples>;

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

/// The fastest accepted sample by our measure; an untimed accepted one only where no timed one is there.
const Outcome* best_of(const Samples& samples, Criterion criterion) {
  const Outcome* best = nullptr;
  for (const auto& [sample, outcome] : samples) {
    if (!accepts(criterion, *outcome)) continue;
    const auto speedup = outcome->paired;
    if (best == nullptr || (speedup && (!best->paired || speedup->value > best->paired->value))) best = outcome;
  }
  return best;
}

class LevelScoring {
 public:
  LevelScoring(const ScoreInput& input, const ByProblem& by_problem) : input_(input), by_problem_(by_problem) {}

  LevelSheet run(int level, const std::vector<const ScoredProblem*>& problems) {
    sheet_.level = level;
    sheet_.problems = problems.size();
    for (const ScoredProblem* problem : problems) add(*problem);
    sheet_.by_correct = line(first_, Criterion::kCorrect, Measure::kPaired);
    sheet_.by_robust = line(first_, Criterion::kRobust, Measure::kPaired);
    sheet_.kernelbench = line(with_baseline_, Criterion::kCorrect, Measure::kMeans);
    if (sheet_.most_samples > 1) {
      sheet_.best_correct = line(best_correct_, Criterion::kCorrect, Measure::kPaired);
      sheet_.best_robust = line(best_robust_, Criterion::kRobust, Measure::kPaired);
    }
    sheet_.pass_correct = pass_at_ks(correct_counts_, input_.ks);
    sheet_.pass_robust = pass_at_ks(robust_counts_, input_.ks);
    return std::move(sheet_);
  }

 private:
  void add(const ScoredProblem& problem) {
    static const Samples none;
    const auto found = by_problem_.find({problem.level, problem.id});
    const Samples& samples = found == by_problem_.end() ? none : found->second;
    const auto zero = samples.find(0);
    const Outcome* first = zero == samples.end() ? nullptr : zero->second;
    first_.push_back(first);
    if (input_.baseline == nullptr || input_.baseline->find(problem.level, problem.name) != nullptr) {
      with_baseline_.push_back(first);
    } else {
      sheet_.no_baseline.push_back(problem.name);
    }
    best_correct_.push_back(best_of(samples, Criterion::kCorrect));
    best_robust_.push_back(best_of(samples, Criterion::kRobust));
    if (first == nullptr) {
      sheet_.missing.push_back(problem.name);
    } else {
      add_first(problem, *first);
    }
    add_samples(problem, samples);
  }

  void add_first(const ScoredProblem& problem, const Outcome& outcome) {
    if (outcome.missing) return;
    ++sheet_.evaluated;
    if (outcome.compiled) ++sheet_.compiled;
    if (outcome.correct) ++sheet_.correct;
    if (outcome.robust) ++sheet_.robust;
    if (outcome.correct && !outcome.paired && !outcome.means) sheet_.untimed.push_back(problem.name);
  }

  void add_samples(const ScoredProblem& problem, const Samples& samples) {
    SampleCount correct;
    SampleCount robust;
    bool vacuous_said = false;
    bool error_said = false;
    for (const auto& [sample, outcome] : samples) {
      ++sheet_.verdicts[outcome->verdict];
      if (!outcome->vacuous.empty() && !std::exchange(vacuous_said, true)) {
        sheet_.vacuous.push_back({problem.name, joined(outcome->vacuous)});
      }
      if (outcome->missing) {
        if (outcome->verdict == "infrastructure") {
          sheet_.infrastructure.push_back({problem.name, outcome->detail});
        } else if (!std::exchange(error_said, true)) {
          sheet_.problem_errors.push_back({problem.name, outcome->detail});
        }
        continue;
      }
      ++correct.evaluated;
      ++robust.evaluated;
      if (outcome->compiled && outcome->correct) ++correct.right;
      if (outcome->robust) ++robust.right;
      if (outcome->correct && outcome->by_float64) ++sheet_.by_float64;
    }
    sheet_.most_samples = std::max(sheet_.most_samples, samples.size());
    correct_counts_.push_back(correct);
    robust_counts_.push_back(robust);
  }

  [[nodiscard]] ScoreLine line(const std::vector<const Outcome*>& outcomes, Criterion criterion,
                               Measure measure) const {
    ScoreLine line = score_line(outcomes, criterion, measure, input_.thresholds);
    line.timing_asked = input_.timing_asked;
    return line;
  }

  const ScoreInput& input_;
  const ByProblem& by_problem_;
  LevelSheet sheet_;
  std::vector<const Outcome*> first_;
  std::vector<const Outcome*> with_baseline_;
  std::vector<const Outcome*> best_correct_;
  std::vector<const Outcome*> best_robust_;
  std::vector<SampleCount> correct_counts_;
  std::vector<SampleCount> robust_counts_;
};

}  // namespace

ScoreSheet score(const ScoreInput& input) {
  ScoreSheet sheet;
  sheet.robust_known = input.robust_known && input.robust_asked;
  sheet.robust_asked = input.robust_asked;
  std::map<int, std::vector<const ScoredProblem*>> levels;
  std::vector<const ScoredProblem*> all;
  std::set<ProblemKey> known;
  for (const ScoredProblem& problem : input.problems) {
    levels[problem.level].push_back(&problem);
    all.push_back(&problem);
    known.insert({problem.level, problem.id});
  }
  ByProblem by_problem;
  for (const Outcome& outcome : input.outcomes) {
    const ProblemKey key{outcome.level, outcome.problem_id};
    if (!known.contains(key)) {
      ++sheet.strays;
    } else {
      by_problem[key][outcome.sample] = &outcome;
    }
  }
  for (const auto& [level, problems] : levels) {
    sheet.levels.push_back(LevelScoring(input, by_problem).run(level, problems));
  }
  sheet.overall = LevelScoring(input, by_problem).run(0, all);
  return sheet;
}

}  // namespace autokernel::kernelbench
