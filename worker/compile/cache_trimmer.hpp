#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>

#include "common/clock/clock.hpp"
#include "worker/compile/build_cache.hpp"

namespace autokernel::compile {

struct Trimmed {
  std::size_t entries = 0;       ///< removed
  std::uint64_t bytes = 0;       ///< removed
  std::uint64_t bytes_left = 0;  ///< more than the limit where entries are in use
};

/// Removes the least recently used entries until the rest fits into `limit`. What is being built or used stays, by its
/// lock, and what is used while this runs. Other processes may trim, build and use the cache meanwhile.
Trimmed trim(const BuildCache& cache, std::uint64_t limit);

/// Bounds a build cache. Any thread.
class CacheTrimmer {
 public:
  /// Looking at every entry is not free, and a cache that is over its limit for a few minutes does no harm.
  static constexpr auto kPause = std::chrono::minutes(5);

  /// `limit` in bytes; 0: no bound. The clock must outlive it.
  CacheTrimmer(const Clock& clock, BuildCache cache, std::uint64_t limit)
      : clock_(clock), cache_(std::move(cache)), limit_(limit) {}

  /// Something was built, or the worker starts: trims, unless it did so within kPause. Blocks meanwhile (a look at
  /// every entry); another thread that calls goes on at once. nullopt where it did nothing.
  std::optional<Trimmed> built();

 private:
  [[nodiscard]] bool take_turn();

  const Clock& clock_;
  const BuildCache cache_;
  const std::uint64_t limit_;
  std::mutex mutex_;
  std::optional<Clock::TimePoint> last_;
};

}  // namespace autokernel::compile
