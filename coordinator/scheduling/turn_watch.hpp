#pragma once

#include "common/clock/clock.hpp"

namespace autokernel::scheduling {

/// Notices that the loop itself was away: paused, swapped out, stopped. What it did not hear meanwhile is nobody's
/// fault.
class TurnWatch {
 public:
  TurnWatch(const Clock& clock, Clock::Duration longest) : clock_(clock), longest_(longest), last_(clock.now()) {}

  /// Once in each turn of the loop. True when more than `longest` passed since the turn before.
  [[nodiscard]] bool turn_was_late() {
    const Clock::TimePoint now = clock_.now();
    const bool late = now - last_ > longest_;
    last_ = now;
    return late;
  }

 private:
  const Clock& clock_;
  Clock::Duration longest_;
  Clock::TimePoint last_;
};

}  // namespace autokernel::scheduling
