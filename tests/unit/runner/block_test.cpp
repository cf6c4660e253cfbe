#include "worker/runner/timing/block.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "worker/runner/device/cpu_device.hpp"

namespace autokernel::runner {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

TEST(Block, TakesOneSampleOfEachCall) {
  CpuDevice device;
  int calls = 0;
  const auto samples = run_block(device, BlockPlan{5}, BlockSteps{[&](int) {
                                   ++calls;
                                   return Result<void>{};
                                 }});
  ASSERT_TRUE(samples);
  EXPECT_EQ(calls, 5);
  EXPECT_THAT(samples->samples_us, SizeIs(5));
  EXPECT_GE(samples->wall_us, samples->enqueue_us);
  double sum = 0;
  for (const double sample : samples->samples_us) sum += sample;
  EXPECT_LE(sum, samples->wall_us);
  EXPECT_GT(samples->launch_us, 0);
  EXPECT_LE(samples->launch_us, samples->enqueue_us);
  EXPECT_EQ(samples->host_bound, 0) << "the CPU is its own host";
}

TEST(Block, RunsTheStepsOfACallInOrder) {
  CpuDevice device;
  std::vector<std::string> order;
  const auto note = [&](const char* what) {
    return [&order, what](int index) {
      order.push_back(what + std::to_string(index));
      return Result<void>{};
    };
  };
  ASSERT_TRUE(run_block(device, BlockPlan{2}, BlockSteps{note("call"), note("before"), note("after")}));
  EXPECT_THAT(order, ElementsAre("before0", "call0", "after0", "before1", "call1", "after1"));
}

TEST(Block, EndsAtTheFirstFailureAndReturnsIt) {
  CpuDevice device;
  int calls = 0;
  const auto samples = run_block(device, BlockPlan{5}, BlockSteps{[&](int index) -> Result<void> {
                                   ++calls;
                                   if (index == 1) return fail(Code::kInvalid, "no more");
                                   return {};
                                 }});
  ASSERT_FALSE(samples);
  EXPECT_EQ(samples.error().message, "no more");
  EXPECT_EQ(calls, 2);
}

TEST(Block, RefusesABlockOfNoCalls) {
  CpuDevice device;
  EXPECT_FALSE(run_block(device, BlockPlan{0}, BlockSteps{[](int) { return Result<void>{}; }}));
}

}  // namespace
}  // namespace autokernel::runner
