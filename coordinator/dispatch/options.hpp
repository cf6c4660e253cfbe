#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace autokernel::dispatch {

/// The times and limits of AK/1. Tests shorten them; nothing else should need to.
struct DispatchOptions {
  std::chrono::milliseconds heartbeat{2000};
  std::chrono::milliseconds term{10'000};           ///< silence after which a lease is lost
  std::chrono::milliseconds start_limit{10'000};    ///< from DISPATCH to the first sign that it arrived
  std::chrono::milliseconds overrun_grace{30'000};  ///< beyond a job's own max_runtime, which the agent enforces
  std::chrono::milliseconds retry_base{5000};       ///< a crashed job rests base·2^crashes
  std::int64_t crash_limit = 3;
  std::size_t queue_limit = 2'000'000;  ///< waiting jobs; more are told BUSY
  std::size_t backlog_limit = 20'000;   ///< requests that the store has not answered; more are told BUSY
  std::chrono::milliseconds busy_retry{1000};
};

}  // namespace autokernel::dispatch
