#include "coordinator/scheduling/turn_watch.hpp"

#include <gtest/gtest.h>

namespace autokernel::scheduling {
namespace {

using namespace std::chrono_literals;

TEST(TurnWatch, NoticesThatTheLoopWasAway) {
  ManualClock clock;
  TurnWatch watch(clock, 5s);
  clock.advance(5s);
  EXPECT_FALSE(watch.turn_was_late());
  clock.advance(6s);
  EXPECT_TRUE(watch.turn_was_late());
  clock.advance(1s);
  EXPECT_FALSE(watch.turn_was_late());
}

}  // namespace
}  // namespace autokernel::scheduling
