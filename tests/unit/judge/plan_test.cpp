#include "worker/runner/timing/plan.hpp"

#include <gtest/gtest.h>

#include <string>

namespace autokernel::timing {
namespace {

TEST(TimingPlan, TakesTenBlocksOfTenByDefault) {
  const auto plan = plan_blocks({100, 1000, 500, 60});
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->pairs, 10);
  EXPECT_EQ(plan->kept, 10);
  EXPECT_EQ(plan->dropped, 1);
  EXPECT_FALSE(plan->reduced);
}

TEST(TimingPlan, NeverTakesFewerSamplesThanAskedWhereTimeAllows) {
  for (int samples = 1; samples < 300; ++samples) {
    const auto plan = plan_blocks({samples, 100, 100, 60});
    ASSERT_TRUE(plan);
    EXPECT_GE(plan->samples(), samples);
    EXPECT_LT(plan->samples(), samples + 13);
    EXPECT_GE(plan->pairs, 6);
  }
}

TEST(TimingPlan, DropsNoSampleOfVerySlowCalls) {
  const auto plan = plan_blocks({12, 2e6, 1.5e6, 60});
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->dropped, 0);
}

TEST(TimingPlan, ShrinksToTheBudgetAndSaysSo) {
  const PlanRequest request{100, 500'000, 500'000, 30};
  const auto plan = plan_blocks(request);
  ASSERT_TRUE(plan);
  EXPECT_TRUE(plan->reduced);
  EXPECT_GE(plan->samples(), 12);
  EXPECT_LT(plan->samples(), 100);
  EXPECT_LE(seconds_of(*plan, request), 30);
}

TEST(TimingPlan, KeepsTwelveSamplesWhenTheBudgetIsFarTooSmall) {
  const auto plan = plan_blocks({100, 2e6, 2e6, 30});
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->samples(), 12);
}

TEST(TimingPlan, GivesUpWhereEvenTheFewestTakeTwiceTheBudget) { EXPECT_FALSE(plan_blocks({100, 10e6, 10e6, 60})); }

TEST(TimingPlan, CountsTheInputsThatEachCallNeeds) {
  PlanRequest request{100, 1000, 1000, 60};
  request.draw_us = 1e6;
  const auto plan = plan_blocks(request);
  ASSERT_TRUE(plan);
  EXPECT_TRUE(plan->reduced);
  EXPECT_LE(seconds_of(*plan, request), 60);
}

TEST(TimingPlan, MakesMoreAndShorterBlocksWhereThereAreFewInputs) {
  for (std::int64_t most_calls = 1; most_calls <= kMostCalls; ++most_calls) {
    PlanRequest request{100, 1000, 500, 60};
    request.most_calls = most_calls;
    const auto plan = plan_blocks(request);
    ASSERT_TRUE(plan);
    EXPECT_LE(plan->calls(), most_calls);
    EXPECT_EQ(plan->dropped, most_calls == 1 ? 0 : 1);
    EXPECT_GE(plan->samples(), 100);
    request.budget_seconds = 0;
    request.reference_us = 3e6;
    EXPECT_FALSE(plan_blocks(request));
  }
}

TEST(TimingPlan, AlternatesAbba) {
  std::string order;
  for (int block = 0; block < 8; ++block) order += side_of_block(block) == Side::kReference ? 'A' : 'B';
  EXPECT_EQ(order, "ABBAABBA");
}

TEST(TimingHold, CoversOneLaunchWhereTheDeviceIsTheSlowerOne) {
  EXPECT_DOUBLE_EQ(hold_for(100, 1000).of_block(11), 145);
}

TEST(TimingHold, CoversEveryCallWhereTheHostIsTheSlowerOne) {
  const Hold hold = hold_for(30, 10);
  for (int i = 0; i < 11; ++i) {
    const double queued = 30.0 * (i + 1);
    EXPECT_GE(hold.of_block(i + 1) + 10.0 * i, queued);
  }
}

TEST(TimingHold, DoesNotHoldEachCallWhereTheQueueCouldNotTakeIt) {
  const Hold hold = hold_for(1e6, 1);
  EXPECT_DOUBLE_EQ(hold.first_us, kMaxHoldUs);
  EXPECT_EQ(hold.each_us, 0);
}

}  // namespace
}  // namespace autokernel::timing
