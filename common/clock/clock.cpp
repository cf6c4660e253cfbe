#include "common/clock/clock.hpp"

#include <array>
#include <ctime>

namespace autokernel {

Clock::TimePoint SteadyClock::now() const { return std::chrono::steady_clock::now(); }

std::string wall_time_text() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  const std::size_t size = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return {text.data(), size};
}

double seconds_between(Clock::TimePoint from, Clock::TimePoint to) {
  return std::chrono::duration<double>(to - from).count();
}

}  // namespace autokernel
