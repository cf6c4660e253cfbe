#pragma once

#include <string>
#include <utility>

#include "common/clock/clock.hpp"
#include "common/protocol/record.hpp"

namespace autokernel::judge {

/// Adds up where the seconds of an evaluation go. Spans do not nest: each second is counted under one name.
class PhaseClock {
 public:
  explicit PhaseClock(const Clock& clock) : clock_(clock) {}

  class Span {
   public:
    Span(PhaseClock& phases, std::string name) : phases_(phases), name_(std::move(name)), began_(phases.clock_.now()) {}
    Span(const Span&) = delete;
    Span& operator=(const Span&) = delete;
    ~Span() { phases_.add(name_, seconds_between(began_, phases_.clock_.now())); }

   private:
    PhaseClock& phases_;
    std::string name_;
    Clock::TimePoint began_;
  };

  [[nodiscard]] Span span(std::string name) { return Span(*this, std::move(name)); }
  void add(const std::string& name, double seconds) { seconds_[name] += seconds; }
  [[nodiscard]] double seconds_of(const std::string& name) const {
    const auto found = seconds_.find(name);
    return found == seconds_.end() ? 0 : found->second;
  }

  /// What was counted since the last take().
  [[nodiscard]] protocol::PhaseSeconds take() { return std::exchange(seconds_, {}); }

 private:
  const Clock& clock_;
  protocol::PhaseSeconds seconds_;
};

}  // namespace autokernel::judge
