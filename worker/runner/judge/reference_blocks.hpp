#pragma once

#include <cstdint>
#include <vector>

#include "worker/runner/judge/timed_inputs.hpp"
#include "worker/runner/timing/block.hpp"

namespace autokernel::judge {

/// The judge's half of a timing: blocks of the reference.
class ReferenceBlocks {
 public:
  ReferenceBlocks(PreparedProblem& problem, const Workbench& bench, PhaseClock& phases, const TimedInputs& inputs)
      : problem_(problem), bench_(bench), phases_(phases), inputs_(inputs) {}

  struct Block {
    runner::BlockSamples samples;
    std::vector<at::Tensor> kept;  ///< the result of call `keep`, in the judge's own memory
    messages::Item structure;
    double per_call_us = 0;  ///< flushing and marking around a call, beyond hold and samples
  };
  /// One block of the calls drawn, or of the first of them. The result of call `keep` is kept, when that is not
  /// negative.
  [[nodiscard]] Asked<Block> run(const runner::BlockPlan& plan, std::int64_t keep);

 private:
  PreparedProblem& problem_;
  const Workbench& bench_;
  PhaseClock& phases_;
  const TimedInputs& inputs_;
};

}  // namespace autokernel::judge
