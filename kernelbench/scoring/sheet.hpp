#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kernelbench/scoring/outcome.hpp"
#include "kernelbench/scoring/pass_at_k.hpp"
#include "kernelbench/scoring/score_line.hpp"

namespace autokernel::kernelbench {

/// A problem that a score divides by, whether or not anything was evaluated for it.
struct ScoredProblem {
  int level = 0;
  int id = 0;
  std::string name;  ///< "level1/19_ReLU.py"
};

/// What a problem's name goes with in a list: "zeros, mean", an error's text.
struct Remark {
  std::string problem;
  std::string text;
};

/// The score of a level, or of all problems together (level 0). Unless it says otherwise a figure is about sample 0 of
/// each problem, as in KernelBench.
struct LevelSheet {
  int level = 0;
  std::size_t problems = 0;   ///< the size of the level: what the rates divide by
  std::size_t evaluated = 0;  ///< problems whose sample 0 has an outcome that says something about the candidate
  std::size_t compiled = 0;
  std::size_t correct = 0;
  std::size_t robust = 0;
  ScoreLine by_correct;  ///< our paired speedups
  ScoreLine by_robust;
  ScoreLine kernelbench;  ///< KernelBench's own score: correct, ratios of stored means, against the baseline where one
                          ///< is given
  std::size_t most_samples = 0;           ///< of any problem; over all samples:
  std::optional<ScoreLine> best_correct;  ///< each problem by its fastest correct sample; only with several samples
  std::optional<ScoreLine> best_robust;
  std::vector<PassAtK> pass_correct;
  std::vector<PassAtK> pass_robust;
  std::map<std::string, std::size_t> verdicts;  ///< name → how many, over all samples
  std::size_t by_float64 = 0;                   ///< correct samples whose stage 2 was decided by the float64 rule
  std::vector<Remark> vacuous;                  ///< problems that trivial answers pass
  std::vector<Remark> problem_errors;           ///< problems whose reference failed
  std::vector<Remark> infrastructure;           ///< samples never judged
  std::vector<std::string> no_baseline;         ///< left out of `kernelbench`: absent from the baseline, or null there
  std::vector<std::string> untimed;             ///< correct sample 0 without a speedup
  std::vector<std::string> missing;             ///< problems with no outcome of sample 0
};

struct ScoreSheet {
  std::vector<LevelSheet> levels;
  LevelSheet overall;        ///< over all problems of all levels, each counting once
  bool robust_known = true;  ///< false for results of KernelBench's own evaluation, and where it was not asked for
  bool robust_asked = true;  ///< false for a run of the first two stages
  std::size_t strays = 0;    ///< outcomes of problems that are not in the list; not scored
};

struct ScoreInput {
  std::vector<ScoredProblem> problems;
  std::vector<Outcome> outcomes;       ///< of several for the same sample the last counts
  const Baseline* baseline = nullptr;  ///< for the `kernelbench` line; without one every problem is scored
  bool robust_known = true;
  bool robust_asked = true;
  bool timing_asked = true;
  std::vector<double> thresholds{0, 0.5, 0.8, 1, 1.5, 2, 3, 5};
  std::vector<std::size_t> ks{1, 2, 5, 10};
};

/// Pure; docs/scoring.md defines every figure.
[[nodiscard]] ScoreSheet score(const ScoreInput& input);

}  // namespace autokernel::kernelbench
