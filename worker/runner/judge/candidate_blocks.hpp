#pragma once

#include <cstdint>
#include <vector>

#include "worker/runner/judge/timed_inputs.hpp"
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
    messages::BlockTimed timed;            ///< as many samples as calls were asked for; believe nothing else of it
    double outside_us = 0;                 ///< from the question to the answer, by the judge's clock
    std::vector<double> outside_calls_us;  ///< where calls take turns: from Go to Called, of each call
  };
  /// One block of the first calls that were drawn; the result of call `keep` lies in the arena afterwards.
  [[nodiscard]] Asked<Block> run(const TimedInputs& inputs, const runner::BlockPlan& plan, std::int64_t keep);

  /// The samples, each no less than what the judge's own clock says of the call but for the words that were exchanged.
  [[nodiscard]] static std::vector<double> believed_us(const Block& block);

  /// Whether the samples fit the time that passed outside. `per_call_us`: what flushing and marking took around the
  /// reference's calls.
  [[nodiscard]] timing::ClaimCheck check(const Block& block, const runner::BlockPlan& plan, double per_call_us) const;

 private:
  [[nodiscard]] Asked<messages::BlockTimed> take_turns(const TimedInputs& inputs, messages::TimeBlock question,
                                                       std::int64_t keep, std::vector<double>& outside_calls_us);

  Evaluation& evaluation_;
  messages::Item expected_;
};

}  // namespace autokernel::judge
