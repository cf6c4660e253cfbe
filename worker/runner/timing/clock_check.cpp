#include "worker/runner/timing/clock_check.hpp"

#include <fmt/format.h>

#include <cmath>

namespace autokernel::timing {

ClaimCheck check_claim(const BlockClaim& claim, const BlockWitness& witness) {
  double claimed = 0;
  for (const double sample : claim.samples_us) {
    if (!std::isfinite(sample) || sample < 0) {
      return {ClaimState::kImpossible, fmt::format("a sample of a timed block is {} us", sample)};
    }
    claimed += sample;
  }
  const double most = witness.outside_us * 1.02 + 200;
  if (claim.wall_us > most) {
    return {ClaimState::kImpossible,
            fmt::format("a timed block claims to have taken {:.0f} us, but only {:.0f} us passed", claim.wall_us,
                        witness.outside_us)};
  }
  if (claimed > most) {
    return {ClaimState::kImpossible, fmt::format("a timed block claims {:.0f} us of samples, but only {:.0f} us passed",
                                                 claimed, witness.outside_us)};
  }
  const double copy_us = witness.copied_bytes / 1000;
  const double account =
      witness.hold_us + claimed + static_cast<double>(claim.samples_us.size()) * witness.per_call_us + copy_us;
  const auto words = [&] {
    return fmt::format("a timed block took {:.0f} us outside, and its samples, hold and flushes account for {:.0f} us",
                       witness.outside_us, account);
  };
  if (witness.outside_us > 3 * account + 10 * witness.slack_us) return {ClaimState::kHidden, words()};
  if (witness.outside_us > 1.5 * account + witness.slack_us) return {ClaimState::kDoubtful, words()};
  return {};
}

}  // namespace autokernel::timing
