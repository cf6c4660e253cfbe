#pragma once

#include <cstdint>
#include <vector>

#include "worker/runner/judge/evaluation.hpp"
#include "worker/runner/timing/block.hpp"
#include "worker/runner/timing/clock_check.hpp"

namespace autokernel::judge {

/// The candidate's half of a timing: blocks in its own process, seen by the judge's clock.
class CandidateBlocks {
 public:
  /// `expected`: the result's structure with its places in the arena.
  CandidateBlocks(Evaluation& evaluation, messages::Item expected)
      : evaluation_(evaluation), expected_(std::move(expected)) {}

  struct Block {
    messages::BlockTimed timed;  ///< as many samples as calls were asked for; believe nothing else of it
    double outside_us = 0;       ///< from the question to the answer, by the judge's clock
  };
  /// One block; the result of call `keep` lies in the arena afterwards.
  [[nodiscard]] Asked<Block> run(std::vector<messages::CallInputs> calls, const runner::BlockPlan& plan,
                                 std::int64_t keep);

  /// Whether the samples fit the time that passed outside. `per_call_us`: what flushing and marking took around the
  /// reference's calls.
  [[nodiscard]] timing::ClaimCheck check(const Block& block, const runner::BlockPlan& plan, double per_call_us) const;

 private:
  Evaluation& evaluation_;
  messages::Item expected_;
};

}  // namespace autokernel::judge
