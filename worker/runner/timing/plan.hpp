#pragma once

#include <cstdint>
#include <optional>

/// How a timing is cut into blocks, decided from numbers alone.
namespace autokernel::timing {

enum class Side { kReference, kCandidate };

/// Calls of longer than this need no dropped first sample: what the other side left behind (caches, clocks) costs a few
/// milliseconds at most, and dropping one call in three would waste a minute of a slow problem.
inline constexpr double kNoDropAboveUs = 100'000;

/// Ten samples and the dropped one.
inline constexpr std::int64_t kMostCalls = 11;

struct Plan {
  std::int64_t pairs = 10;   ///< blocks of each side
  std::int64_t kept = 10;    ///< samples kept per block
  std::int64_t dropped = 1;  ///< first samples of a block, not kept: the other process had the device
  bool reduced = false;      ///< fewer samples than asked, for want of time

  [[nodiscard]] std::int64_t calls() const { return kept + dropped; }
  [[nodiscard]] std::int64_t samples() const { return pairs * kept; }
};

struct PlanRequest {
  std::int64_t samples = 100;  ///< of each side, at least
  double reference_us = 0;     ///< of one call, flush included
  double candidate_us = 0;
  double budget_seconds = 60;            ///< for all blocks of both sides
  double draw_us = 0;                    ///< of the inputs of one call, which both sides share
  std::int64_t most_calls = kMostCalls;  ///< of a block: there are inputs for no more
};

/// Ten samples per block, or as many as there are inputs for, and ABBA pairs of blocks until there are enough. Where
/// that exceeds the budget, fewer samples, but never under twelve in six pairs: six is the least that bounds a median
/// at 95% without assuming a distribution. Nothing is dropped where a block has one call. nullopt: even those would
/// take over twice the budget.
[[nodiscard]] std::optional<Plan> plan_blocks(const PlanRequest& request);

/// Seconds that a plan takes.
[[nodiscard]] double seconds_of(const Plan& plan, const PlanRequest& request);

/// A B B A A B B A …: side of block `index` (from 0). Each pair of blocks has one of each, and a steady drift of the
/// clock cancels between neighbouring pairs.
[[nodiscard]] Side side_of_block(std::int64_t index);

/// How long the stream is held before the first call of a block, and before each later one.
struct Hold {
  double first_us = 0;
  double each_us = 0;

  [[nodiscard]] double of_block(std::int64_t calls) const {
    return first_us + static_cast<double>(calls - 1) * each_us;
  }
};

/// Calls that would need a longer hold are launch-bound and not held one by one: the driver's queue takes 1024
/// launches, which eager PyTorch makes in 10 to 30 ms, a hold costs its length on every call, and a candidate that
/// synchronises inside forward is never ahead.
inline constexpr double kMaxHoldUs = 12'000;

/// The holds under which no call waits for the host.
///
/// With `enqueue_us` of host time and `device_us` of device time per call, call i (from 0) is queued at (i + 1) enqueue
/// and due at first + i (each + device): the first hold must cover enqueue, and each later one what the host falls
/// behind in a call, enqueue - device. One long hold before the first call would do the same on paper, but the queue is
/// full long before a block of many launches is in it. A quarter and 20 us are added for jitter; where a hold would
/// exceed kMaxHoldUs, the calls are not held one by one.
[[nodiscard]] Hold hold_for(double enqueue_us, double device_us);

}  // namespace autokernel::timing
