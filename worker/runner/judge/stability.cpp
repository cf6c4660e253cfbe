#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "worker/runner/judge/stages.hpp"
#include "worker/runner/python/model.hpp"

namespace autokernel::judge {

using protocol::StageName;
using protocol::Verdict;

namespace {

/// One change of the floating inputs, in place and on top of those before it: the inputs are drawn once for all of
/// them. From KernelBench's usual [0, 1): [0, 100), then [0, 0.001), then (-1, 1), then quarters, then one half, then
/// zero.
struct Transform {
  const char* name;
  void (*apply)(at::Tensor& piece);
  bool makes_ties = false;
};

constexpr std::array kTransforms = {
    Transform{"scaled up", [](at::Tensor& piece) { piece.mul_(1e2); }},
    Transform{"scaled down", [](at::Tensor& piece) { piece.mul_(1e-5); }},
    Transform{"of mixed sign", [](at::Tensor& piece) { piece.mul_(1e3).mul_(at::rand_like(piece).sub_(0.5).sign_()); }},
    Transform{"with ties", [](at::Tensor& piece) { piece.mul_(4).round_().div_(4); }, true},
    Transform{"all equal", [](at::Tensor& piece) { piece.fill_(0.5); }, true},
    Transform{"all zero", [](at::Tensor& piece) { piece.zero_(); }, true},
};

/// In pieces, so that what a transform allocates stays small.
void change(const Transform& transform, const std::vector<at::Tensor>& tensors) {
  constexpr std::int64_t kPiece = std::int64_t{1} << 24;
  const c10::NoGradGuard no_grad;
  for (const at::Tensor& tensor : tensors) {
    const at::Tensor values = tensor.view({-1});
    for (std::int64_t begin = 0; begin < values.numel(); begin += kPiece) {
      at::Tensor piece = values.narrow(0, begin, std::min(kPiece, values.numel() - begin));
      transform.apply(piece);
    }
  }
}

class Stability {
 public:
  explicit Stability(Evaluation& evaluation) : evaluation_(evaluation) {}

  StageResult run() {
    const auto seeds = evaluation_.trial_seeds();
    seed_ = seeds.empty() ? evaluation_.options().seed : seeds.front();
    if (auto fault = draw()) return ended_by(StageName::kStability, *fault, evaluation_);
    if (floats_.empty()) return passed(StageName::kStability, "no floating inputs to change");
    for (std::size_t i = 0; i < kTransforms.size(); ++i) {
      if (auto ended = run_one(i)) return *std::move(ended);
    }
    if (decided_ == 0) return skipped(StageName::kStability, notes_);
    return passed(StageName::kStability, notes_);
  }

 private:
  std::optional<Fault> draw() {
    auto trial = evaluation_.place_inputs(seed_);
    if (!trial) return trial.error();
    trial_ = *std::move(trial);
    floats_.clear();
    for (const messages::Item& item : trial_.inputs.items) {
      auto views = runner::tensors_from(item, evaluation_.parts().bench.arena());
      if (!views) return infrastructure_fault(views.error());
      for (const at::Tensor& view : *views) {
        if (at::isFloatingType(view.scalar_type()) && view.numel() > 0) floats_.push_back(view);
      }
    }
    return std::nullopt;
  }

  std::optional<StageResult> run_one(std::size_t index) {
    const std::string during = fmt::format("inputs {}", kTransforms[index].name);
    const auto note = [&](const std::string& text) {
      notes_ += (notes_.empty() ? "" : "; ") + during + ": " + text;
      return std::nullopt;
    };
    // A candidate that writes to its inputs has spoilt what the next transform builds on.
    if (evaluation_.changes_inputs() || evaluation_.parts().problem.changes_inputs) {
      if (auto fault = draw()) return ended_by(StageName::kStability, *fault, evaluation_, during);
      for (std::size_t i = 0; i < index; ++i) transform(i);
    }
    transform(index);
    if (auto answered = evaluation_.answer(trial_); !answered) {
      if (answered.error().verdict == Verdict::kProblemError) return note("not taken by the reference");
      return ended_by(StageName::kStability, answered.error(), evaluation_, during);
    }
    if (!has_finite()) return note("the reference gives no finite number");
    auto found = evaluation_.forward(trial_);
    if (!found) return ended_by(StageName::kStability, found.error(), evaluation_, during);
    const Comparison comparison =
        evaluation_.compare(trial_, *found, {compare::NonFinite::kNotCompared, kTransforms[index].makes_ties});
    if (comparison.undecided) return note(comparison.detail);
    if (!comparison.passed) return failed(StageName::kStability, Verdict::kUnstable, during + ": " + comparison.detail);
    ++decided_;
    return std::nullopt;
  }

  void transform(std::size_t index) {
    const auto span = evaluation_.parts().phases.span("inputs");
    runner::seed_torch(seed_ + index, evaluation_.device());
    change(kTransforms[index], floats_);
  }

  bool has_finite() const {
    const auto span = evaluation_.parts().phases.span("compare");
    if (trial_.reference.empty()) return true;  // plain values, which are compared whatever they are
    return std::any_of(trial_.reference.begin(), trial_.reference.end(), [](const at::Tensor& tensor) {
      return !at::isFloatingType(tensor.scalar_type()) || tensor.isfinite().any().item<bool>();
    });
  }

  Evaluation& evaluation_;
  std::uint64_t seed_ = 0;
  Trial trial_;
  std::vector<at::Tensor> floats_;
  std::string notes_;
  int decided_ = 0;
};

}  // namespace

StageResult run_stability(Evaluation& evaluation) { return Stability(evaluation).run(); }

}  // namespace autokernel::judge
