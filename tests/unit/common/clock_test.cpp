#include "common/clock/clock.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace autokernel {
namespace {

using namespace std::chrono_literals;

TEST(ManualClock, StandsStillUntilItIsMoved) {
  ManualClock clock;
  const auto start = clock.now();
  EXPECT_EQ(clock.now(), start);
  clock.advance(1500ms);
  EXPECT_DOUBLE_EQ(seconds_between(start, clock.now()), 1.5);
}

TEST(SteadyClock, NeverGoesBack) {
  const SteadyClock clock;
  const auto first = clock.now();
  EXPECT_GE(clock.now(), first);
}

TEST(WallTime, IsIso8601InUtc) {
  EXPECT_THAT(wall_time_text(), testing::MatchesRegex("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z"));
}

}  // namespace
}  // namespace autokernel
