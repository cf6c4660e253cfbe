#pragma once

#include <chrono>
#include <string>

namespace autokernel {

/// A steady clock that decisions are made by. Inject it; unit tests advance a ManualClock and never sleep.
class Clock {
 public:
  using Duration = std::chrono::nanoseconds;
  using TimePoint = std::chrono::time_point<std::chrono::steady_clock, Duration>;

  virtual ~Clock() = default;
  [[nodiscard]] virtual TimePoint now() const = 0;
};

/// std::chrono::steady_clock (CLOCK_MONOTONIC).
class SteadyClock final : public Clock {
 public:
  [[nodiscard]] TimePoint now() const override;
};

/// Stands still until a test moves it.
class ManualClock final : public Clock {
 public:
  [[nodiscard]] TimePoint now() const override { return now_; }
  void advance(Duration step) { now_ += step; }

 private:
  TimePoint now_{std::chrono::hours(1)};
};

/// Wall-clock time in ISO 8601, UTC, to the second: for people and file names, never for decisions.
[[nodiscard]] std::string wall_time_text();

[[nodiscard]] double seconds_between(Clock::TimePoint from, Clock::TimePoint to);

}  // namespace autokernel
