#include "coordinator/scheduling/retry_delay.hpp"

#include <algorithm>
#include <cmath>

namespace autokernel::scheduling {

std::chrono::milliseconds retry_delay(std::chrono::milliseconds base, std::int64_t crashes_before,
                                      std::uint64_t random) {
  constexpr double kLongestMs = 3'600'000;
  const double exponent = static_cast<double>(std::clamp<std::int64_t>(crashes_before, 0, 30));
  const double spread = 0.75 + 0.5 * (static_cast<double>(random >> 11U) / 9007199254740992.0);  // 2^53
  const double delay = std::min(static_cast<double>(base.count()) * std::exp2(exponent), kLongestMs);
  return std::chrono::milliseconds(static_cast<std::int64_t>(delay * spread));
}

}  // namespace autokernel::scheduling
