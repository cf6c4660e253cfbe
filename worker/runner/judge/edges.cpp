#include <fmt/format.h>

#include "worker/runner/judge/foreign_text.hpp"
#include "worker/runner/judge/stages.hpp"

namespace autokernel::judge {

using protocol::StageName;
using protocol::Verdict;

namespace {

class Edges {
 public:
  explicit Edges(Evaluation& evaluation) : evaluation_(evaluation) {}

  StageResult run() {
    const auto seeds = evaluation_.trial_seeds();
    seed_ = seeds.empty() ? evaluation_.options().seed : seeds.front();
    for (const Placement placement : {Placement::kPadded, Placement::kTransposed}) {
      if (evaluation_.is_native()) break;  // they are promised dense tensors
      if (auto ended = run_placement(placement)) return *std::move(ended);
    }
    run_batch();
    // Last: some of the framework's own kernels (memory-efficient attention in fp32, for one) fault on them, which
    // takes the judge's device along.
    if (auto ended = run_placement(Placement::kMisaligned)) return *std::move(ended);
    StageResult result = decided_ == 0 ? skipped(StageName::kEdges, notes_) : passed(StageName::kEdges, notes_);
    result.judge_is_spent = reference_faulted_;
    return result;
  }

 private:
  void note(const std::string& text) { notes_ += (notes_.empty() ? "" : "; ") + text; }

  std::optional<StageResult> run_placement(Placement placement) {
    const std::string during = fmt::format("{} inputs", name_of(placement));
    auto& problem = evaluation_.parts().problem;
    auto inputs = [&] {
      const auto span = evaluation_.parts().phases.span("inputs");
      return problem.problem.make_inputs(seed_, evaluation_.source());
    }();
    if (!inputs) return ended_by(StageName::kEdges, problem_fault(inputs.error(), "get_inputs()"), evaluation_, during);
    inputs->arguments = pybind11::tuple();
    if (inputs->description.tensors.empty()) {
      ++decided_;
      return std::nullopt;
    }
    if (evaluation_.parts().bench.moved_by(inputs->description, placement) == 0) {
      const bool wants_room = placement == Placement::kMisaligned || !evaluation_.parts().bench.layout().has_slack;
      note(during + (wants_room ? ": skipped, no memory to spare" : ": nothing to lay out otherwise"));
      if (!wants_room) ++decided_;
      return std::nullopt;
    }
    auto trial = evaluation_.make_trial(seed_, inputs->description, {placement});
    inputs->description = {};
    if (!trial) {
      reference_faulted_ = placement == Placement::kMisaligned && trial.error().device_suspect;
      if (trial.error().verdict != Verdict::kProblemError && !reference_faulted_)
        return ended_by(StageName::kEdges, trial.error(), evaluation_, during);
      note(during + ": not taken by the reference");
      ++decided_;
      return std::nullopt;
    }
    auto found = evaluation_.forward(*trial);
    if (!found) return ended_by(StageName::kEdges, found.error(), evaluation_, during);
    const Comparison comparison = evaluation_.compare(*trial, *found);
    if (comparison.reference_is_nan) {
      note(during + ": the reference gives a NaN, not compared");
      return std::nullopt;
    }
    if (!comparison.passed) return failed(StageName::kEdges, Verdict::kEdgeFailure, during + ": " + comparison.detail);
    ++decided_;
    return std::nullopt;
  }

  /// Half the batch and one more: neither a power of two nor what a kernel's constants were made for. KernelBench
  /// promises only the one shape, so the outcome is told and not held against anybody.
  void run_batch() {
    auto& problem = evaluation_.parts().problem;
    const auto batch = problem.problem.batch_size();
    if (!batch || *batch < 3 || evaluation_.is_native()) return;
    const std::int64_t other = *batch / 2 + 1;
    auto inputs = problem.problem.make_inputs_for_batch(other, seed_, evaluation_.source());
    if (!inputs) return;
    inputs->arguments = pybind11::tuple();
    auto trial = evaluation_.make_trial(seed_, inputs->description);
    if (!trial) return note(fmt::format("batch {}: not taken by the reference", other));
    auto found = evaluation_.forward(*trial);
    if (!found) return note(fmt::format("batch {}: {}", other, foreign_text(found.error().detail, 200)));
    const Comparison comparison = evaluation_.compare(*trial, *found);
    const std::string wrong = comparison.reference_is_nan ? "the reference gives a NaN" : comparison.detail;
    note(fmt::format("batch {}: {}", other, comparison.passed ? "right" : wrong));
  }

  Evaluation& evaluation_;
  std::uint64_t seed_ = 0;
  std::string notes_;
  int decided_ = 0;
  bool reference_faulted_ = false;
};

}  // namespace

StageResult run_edges(Evaluation& evaluation) { return Edges(evaluation).run(); }

}  // namespace autokernel::judge
