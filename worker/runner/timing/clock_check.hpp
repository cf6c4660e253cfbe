#pragma once

#include <span>
#include <string>

/// Does what a block claims fit the time that passed outside of it?
namespace autokernel::timing {

struct BlockClaim {
  std::span<const double> samples_us;
  double wall_us = 0;  ///< as the timed process says
};

/// What the judge itself knows about the block.
struct BlockWitness {
  double outside_us = 0;     ///< from before it asked until it had the answer
  double hold_us = 0;        ///< how long it asked to hold the stream
  double per_call_us = 0;    ///< flushing and recording around one call, as its own blocks show it
  double copied_bytes = 0;   ///< result copied once per block
  double slack_us = 20'000;  ///< how late the host may be: the scheduler's doing, more where the CPU itself is timed
};

enum class ClaimState {
  kFits,
  kDoubtful,    ///< repeat the block
  kImpossible,  ///< no honest process says this: more time claimed than passed, or no numbers at all
  kHidden,      ///< far more time passed than the samples, the hold, flushes and the copy account for
};

struct ClaimCheck {
  ClaimState state = ClaimState::kFits;
  std::string reason;  ///< empty when it fits
};

/// The account: hold + all samples + calls x per_call + copy at 1 GB/s. Both bounds are coarse on purpose, since a busy
/// host may be late: doubtful over 1.5 x account + slack, hidden over 3 x account + 10 x slack. Claimed samples, or
/// a claimed wall time, that exceed the time outside by more than 2% + 0.2 ms are impossible, as is a sample that is
/// negative or no number.
[[nodiscard]] ClaimCheck check_claim(const BlockClaim& claim, const BlockWitness& witness);

}  // namespace autokernel::timing
