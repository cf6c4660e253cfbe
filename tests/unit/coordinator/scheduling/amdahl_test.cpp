#include "coordinator/scheduling/amdahl.hpp"

#include <gtest/gtest.h>

namespace autokernel::scheduling {
namespace {

TEST(Amdahl, GainIsWhatTheWholeWins) {
  // Half of the time made twice as fast: 1 / (1 - 0.25) - 1.
  EXPECT_DOUBLE_EQ(amdahl_gain({.weight = 0.5, .speedup = 1, .bound = 2}, 1), 1 / 0.75 - 1);
}

TEST(Amdahl, AProblemAtItsBoundHasNothingToGain) {
  EXPECT_EQ(amdahl_gain({.weight = 0.5, .speedup = 3, .bound = 3}, 1), 0);
  EXPECT_EQ(amdahl_gain({.weight = 0.5, .speedup = 4, .bound = 3}, 1), 0);
}

TEST(Amdahl, PriorityIsPerSecondAndByChance) {
  const Standing cheap{.weight = 0.5, .chance = 0.5, .cost = 1};
  Standing dear = cheap;
  dear.cost = 10;
  Standing hopeless = cheap;
  hopeless.chance = 0.1;
  EXPECT_DOUBLE_EQ(amdahl_priority(cheap, 1), 10 * amdahl_priority(dear, 1));
  EXPECT_DOUBLE_EQ(amdahl_priority(cheap, 1), 5 * amdahl_priority(hopeless, 1));
}

TEST(Amdahl, SurvivesDegenerateGroups) {
  EXPECT_EQ(amdahl_gain({.weight = 0}, 0), 0);
  EXPECT_EQ(amdahl_gain({.weight = 1, .speedup = 1, .bound = 1e300}, 1), 0);
  EXPECT_GE(amdahl_priority({.weight = 1, .cost = 0}, 2), 0);
}

TEST(Amdahl, AssumesThatADoublingIsLeft) {
  EXPECT_EQ(assumed_bound(1), 4);
  EXPECT_EQ(assumed_bound(5), 10);
}

}  // namespace
}  // namespace autokernel::scheduling
