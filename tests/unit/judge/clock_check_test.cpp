#include "worker/runner/timing/clock_check.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace autokernel::timing {
namespace {

const std::vector<double> kTenOfOneMillisecond(10, 1000.0);

TEST(ClockCheck, AnHonestBlockFits) {
  EXPECT_EQ(check_claim({kTenOfOneMillisecond, 13000}, {14500, 1000, 100, 0}).state, ClaimState::kFits);
}

TEST(ClockCheck, ABusyHostMayBeLateByMilliseconds) {
  EXPECT_EQ(check_claim({kTenOfOneMillisecond, 13000}, {25000, 1000, 100, 0}).state, ClaimState::kFits);
}

TEST(ClockCheck, CopyingALargeResultIsAccountedFor) {
  EXPECT_EQ(check_claim({kTenOfOneMillisecond, 13000}, {500'000, 1000, 100, 8e9}).state, ClaimState::kFits);
}

TEST(ClockCheck, MoreTimeClaimedThanPassedIsImpossible) {
  const auto check = check_claim({kTenOfOneMillisecond, 13000}, {5000, 1000, 100, 0});
  EXPECT_EQ(check.state, ClaimState::kImpossible);
  EXPECT_FALSE(check.reason.empty());
}

TEST(ClockCheck, SoIsAWallTimeLongerThanWhatPassed) {
  EXPECT_EQ(check_claim({kTenOfOneMillisecond, 30'000}, {14'500, 1000, 100, 0}).state, ClaimState::kImpossible);
}

TEST(ClockCheck, SamplesThatAreNoTimesAreImpossible) {
  EXPECT_EQ(check_claim({std::vector{1.0, -1.0}, 10}, {1000, 0, 0, 0}).state, ClaimState::kImpossible);
  EXPECT_EQ(check_claim({std::vector{std::nan("")}, 10}, {1000, 0, 0, 0}).state, ClaimState::kImpossible);
  EXPECT_EQ(check_claim({std::vector{std::numeric_limits<double>::infinity()}, 10}, {1000, 0, 0, 0}).state,
            ClaimState::kImpossible);
}

TEST(ClockCheck, SomewhatTooLongIsDoubtful) {
  EXPECT_EQ(check_claim({kTenOfOneMillisecond, 13000}, {60'000, 1000, 100, 0}).state, ClaimState::kDoubtful);
}

TEST(ClockCheck, WhereTheCpuItselfIsTimedTheHostMayBeLater) {
  BlockWitness witness{60'000, 0, 100, 0};
  witness.slack_us = 200'000;
  EXPECT_EQ(check_claim({kTenOfOneMillisecond, 13000}, witness).state, ClaimState::kFits);
}

TEST(ClockCheck, FarTooLongIsHiddenWork) {
  EXPECT_EQ(check_claim({std::vector<double>(10, 1.0), 20}, {400'000, 1000, 100, 0}).state, ClaimState::kHidden);
}

}  // namespace
}  // namespace autokernel::timing
