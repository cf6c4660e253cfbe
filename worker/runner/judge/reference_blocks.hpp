#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "worker/runner/judge/evaluation.hpp"
#include "worker/runner/timing/block.hpp"

namespace autokernel::judge {

/// The judge's half of a timing: blocks of the reference, each call on inputs of its own in the arena.
class ReferenceBlocks {
 public:
  ReferenceBlocks(PreparedProblem& problem, const Workbench& bench, PhaseClock& phases, protocol::InputSource source);

  /// New inputs in place for so many calls: call i under a seed of its own, in set i of the arena. The first `kept`
  /// calls find what lies there already. The seeds are secret, so that nothing computed beforehand fits, and small,
  /// since some generators take 32 bits only.
  [[nodiscard]] Asked<void> draw(std::int64_t calls, std::int64_t kept = 0);
  /// The same again, for whoever comes after a side that writes to its inputs.
  [[nodiscard]] Asked<void> redraw();

  struct Block {
    runner::BlockSamples samples;
    std::vector<at::Tensor> kept;  ///< the result of call `keep`, in the judge's own memory
    messages::Item structure;
    double per_call_us = 0;  ///< flushing and marking around a call, beyond hold and samples
  };
  /// One block of the calls drawn, or of the first of them. The result of call `keep` is kept, when that is not
  /// negative.
  [[nodiscard]] Asked<Block> run(const runner::BlockPlan& plan, std::int64_t keep);

  /// The first `calls` of those drawn, as a candidate is told of them.
  [[nodiscard]] std::vector<messages::CallInputs> calls(std::int64_t calls) const;
  /// How many calls a block can have.
  [[nodiscard]] std::int64_t most_calls() const { return static_cast<std::int64_t>(bench_.layout().sets()); }
  /// Where call `index` finds its inputs.
  [[nodiscard]] const PlacedInputs& inputs(std::size_t index) const { return inputs_.at(index); }
  [[nodiscard]] std::uint64_t seed(std::size_t index) const { return seeds_.at(index); }
  /// Of one set, at the last draw.
  [[nodiscard]] double draw_seconds() const { return draw_seconds_; }

 private:
  [[nodiscard]] Asked<void> draw_from(std::size_t first);

  PreparedProblem& problem_;
  const Workbench& bench_;
  PhaseClock& phases_;
  protocol::InputSource source_;
  std::mt19937_64 random_;
  std::vector<PlacedInputs> inputs_;
  std::vector<std::uint64_t> seeds_;
  double draw_seconds_ = 0;
};

}  // namespace autokernel::judge
