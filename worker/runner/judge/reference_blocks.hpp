#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "worker/runner/judge/evaluation.hpp"
#include "worker/runner/timing/block.hpp"

namespace autokernel::judge {

/// The judge's half of a timing: blocks of the reference on inputs in the arena.
class ReferenceBlocks {
 public:
  ReferenceBlocks(PreparedProblem& problem, const Workbench& bench, const messages::Prepare& request,
                  PhaseClock& phases, protocol::InputSource source);

  /// New inputs in place, under a fresh seed.
  [[nodiscard]] Asked<void> draw(std::uint64_t seed);
  /// The seed changes, the inputs do not.
  void reseed(std::uint64_t seed) { seed_ = seed; }

  struct Block {
    runner::BlockSamples samples;
    std::vector<at::Tensor> kept;  ///< the result of call `keep`, in the judge's own memory
    messages::Item structure;
    double per_call_us = 0;  ///< flushing and marking around a call, beyond hold and samples
  };
  /// One block. The result of call `keep` is kept, when that is not negative.
  [[nodiscard]] Asked<Block> run(const runner::BlockPlan& plan, std::int64_t keep);

  [[nodiscard]] const PlacedInputs& inputs() const { return inputs_; }
  [[nodiscard]] std::uint64_t seed() const { return seed_; }
  [[nodiscard]] double draw_seconds() const { return draw_seconds_; }

 private:
  PreparedProblem& problem_;
  const Workbench& bench_;
  const messages::Prepare& request_;
  PhaseClock& phases_;
  protocol::InputSource source_;
  PlacedInputs inputs_;
  std::uint64_t seed_ = 0;
  double draw_seconds_ = 0;  ///< of the last draw
};

}  // namespace autokernel::judge
