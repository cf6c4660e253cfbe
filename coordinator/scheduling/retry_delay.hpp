#pragma once

#include <chrono>
#include <cstdint>

namespace autokernel::scheduling {

/// How long a job rests after a crash: base·2^crashes, at most an hour, spread by ±25% so that jobs which crashed
/// together do not return together. `random` is any 64 random bits.
[[nodiscard]] std::chrono::milliseconds retry_delay(std::chrono::milliseconds base, std::int64_t crashes_before,
                                                    std::uint64_t random);

}  // namespace autokernel::scheduling
