#include "worker/compile/cache_trimmer.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "common/telemetry/log.hpp"

namespace autokernel::compile {

Trimmed trim(const BuildCache& cache, std::uint64_t limit) {
  std::vector<CacheEntry> entries = cache.entries();
  Trimmed result;
  for (const CacheEntry& entry : entries) result.bytes_left += entry.bytes;
  if (result.bytes_left <= limit) return result;
  std::sort(entries.begin(), entries.end(),
            [](const CacheEntry& a, const CacheEntry& b) { return a.last_use < b.last_use; });
  for (const CacheEntry& entry : entries) {
    if (result.bytes_left <= limit) break;
    const auto lock = cache.try_lock(entry.key);
    if (!lock || !*lock) continue;  // being built, in use, or being removed by somebody else
    const auto last_use = cache.last_use(entry.key);
    if (last_use && *last_use != entry.last_use) continue;
    if (last_use) {
      if (auto removed = cache.remove(entry.key); !removed) {
        telemetry::warning(removed.error().message);
        continue;
      }
      ++result.entries;
      result.bytes += entry.bytes;
    }
    result.bytes_left -= entry.bytes;
  }
  return result;
}

bool CacheTrimmer::take_turn() {
  const std::lock_guard lock(mutex_);
  const auto now = clock_.now();
  if (last_ && now - *last_ < kPause) return false;
  last_ = now;
  return true;
}

std::optional<Trimmed> CacheTrimmer::built() {
  if (limit_ == 0 || !take_turn()) return std::nullopt;
  const Trimmed trimmed = trim(cache_, limit_);
  if (trimmed.entries > 0) {
    telemetry::info("build cache trimmed", {{"entries", fmt::format("{}", trimmed.entries)},
                                            {"removed_mib", fmt::format("{}", trimmed.bytes >> 20U)},
                                            {"left_mib", fmt::format("{}", trimmed.bytes_left >> 20U)}});
  }
  return trimmed;
}

}  // namespace autokernel::compile
