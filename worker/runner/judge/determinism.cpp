#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>

#include "worker/runner/compare/structure.hpp"
#include "worker/runner/judge/stages.hpp"

namespace autokernel::judge {

using protocol::StageName;
using protocol::Verdict;

namespace {

constexpr int kRuns = 3;
/// Three runs see only a part of what varies, in the reference as in the candidate.
constexpr double kSpreadFactor = 2;

using Tensors = std::vector<at::Tensor>;

std::vector<std::uint64_t> checksums_of(const Tensors& tensors, const compare::Checksummer& sums) {
  std::vector<std::uint64_t> checksums;
  for (const at::Tensor& tensor : tensors) checksums.push_back(sums.of(tensor));
  return checksums;
}

Tensors copies_of(const Tensors& tensors) {
  Tensors copies;
  for (const at::Tensor& tensor : tensors) copies.push_back(tensor.clone());
  return copies;
}

/// Largest difference of any tensor; infinite where an element is finite in only one of the runs.
double spread_between(const Tensors& left, const Tensors& right) {
  double spread = 0;
  for (std::size_t i = 0; i < left.size(); ++i) {
    const auto difference = compare::difference_of(left[i], right[i], messages::Tolerance{0, 0});
    spread = std::max(spread, difference.max);
    if (difference.wrong > 0 && difference.max == 0) spread = INFINITY;
  }
  return spread;
}

class Determinism {
 public:
  explicit Determinism(Evaluation& evaluation) : evaluation_(evaluation) {}

  StageResult run() {
    const auto seeds = evaluation_.trial_seeds();
    seed_ = seeds.empty() ? evaluation_.options().seed : seeds.back();
    std::vector<std::uint64_t> first;
    for (int index = 0; index < kRuns; ++index) {
      if (auto ended = renew(index == 0)) return *std::move(ended);
      auto found = evaluation_.forward(trial_);
      if (!found) return ended(found.error());
      const auto sums = [&] {
        const auto span = evaluation_.parts().phases.span("checksum");
        return checksums_of(*found, evaluation_.parts().sums);
      }();
      if (index == 0) first = sums;
      if (sums != first) return judge_spread(*found);
    }
    if (auto words = changed_words(); !words.empty())
      return failed(StageName::kDeterminism, Verdict::kNondeterministic, words);
    return passed(StageName::kDeterminism, "three runs agree bitwise");
  }

 private:
  StageResult ended(const Fault& fault) { return ended_by(StageName::kDeterminism, fault, evaluation_); }

  /// Fresh inputs for the first run, and for every run where somebody writes to them.
  std::optional<StageResult> renew(bool first) {
    const PreparedProblem& problem = evaluation_.parts().problem;
    if (!first && !evaluation_.changes_inputs() && !problem.changes_inputs && !problem.depends_on_state)
      return std::nullopt;
    auto trial = evaluation_.make_trial(seed_);
    if (!trial) return ended(trial.error());
    trial_ = *std::move(trial);
    return std::nullopt;
  }

  StageResult judge_spread(const Tensors& found) {
    Tensors run = copies_of(found);
    double candidate = 0;
    double reference = 0;
    for (int index = 1; index < kRuns; ++index) {
      const Tensors reference_before = trial_.reference;
      if (auto answered = evaluation_.answer(trial_); !answered) return ended(answered.error());
      reference = std::max(reference, spread_between(reference_before, trial_.reference));
      auto again = evaluation_.forward(trial_);
      if (!again) return ended(again.error());
      candidate = std::max(candidate, spread_between(run, *again));
      run = copies_of(*again);
    }
    if (auto words = changed_words(); !words.empty())
      return failed(StageName::kDeterminism, Verdict::kNondeterministic, words);
    const std::string words = fmt::format(
        "runs on the same inputs and seed differ by {:.3g}; the reference's own by {:.3g}", candidate, reference);
    if (reference > 0 && candidate <= kSpreadFactor * reference) return passed(StageName::kDeterminism, words);
    return failed(StageName::kDeterminism, Verdict::kNondeterministic, words);
  }

  std::string changed_words() const {
    const std::vector<bool>& changed = evaluation_.changed_inputs();
    const auto at = std::find(changed.begin(), changed.end(), true);
    if (at == changed.end()) return "";
    return fmt::format("the candidate changes its input {} in place", at - changed.begin());
  }

  Evaluation& evaluation_;
  std::uint64_t seed_ = 0;
  Trial trial_;
};

}  // namespace

StageResult run_determinism(Evaluation& evaluation) { return Determinism(evaluation).run(); }

}  // namespace autokernel::judge
