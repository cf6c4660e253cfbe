#pragma once

#include <optional>

#include "worker/runner/judge/reference_blocks.hpp"

namespace autokernel::judge {

/// The result of a timed call in the candidate's process against the reference's on the same inputs: call number
/// `index` of the blocks drawn, whose result `own` kept and `other` left in the arena. nullopt: all is well, or the
/// reference itself gives a NaN there.
///
/// A wrong one is dishonest when the candidate still answers rightly if asked outside of a block, and when it no longer
/// answers as it did in stage 2; otherwise these inputs are simply beyond it, and there is no timing.
[[nodiscard]] std::optional<Fault> check_timed_result(Evaluation& evaluation, const TimedInputs& inputs,
                                                      std::size_t index, const ReferenceBlocks::Block& own,
                                                      const messages::BlockTimed& other);

/// Why there is no timing, though nobody is to blame.
[[nodiscard]] Fault untimed(std::string detail);

}  // namespace autokernel::judge
