#include "worker/runner/timing/statistics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace autokernel::timing {
namespace {

TEST(Statistics, SummaryOfKnownSamples) {
  const auto summary = summarize(std::vector<double>{4, 1, 3, 2, 10});
  EXPECT_DOUBLE_EQ(summary.median, 3);
  EXPECT_DOUBLE_EQ(summary.mean, 4);
  EXPECT_NEAR(summary.std, 3.5355339059327378, 1e-12);
  EXPECT_DOUBLE_EQ(summary.min, 1);
  EXPECT_DOUBLE_EQ(summary.max, 10);
  EXPECT_EQ(summary.samples, 5);
}

TEST(Statistics, SummaryOfNothingIsAllZero) {
  EXPECT_EQ(summarize({}).samples, 0);
  EXPECT_EQ(summarize({}).median, 0);
}

TEST(Statistics, MedianOfAnEvenCountLiesBetweenTheMiddleTwo) {
  EXPECT_DOUBLE_EQ(median_of({1, 2, 30, 4}), 3);
  EXPECT_DOUBLE_EQ(median_of({7}), 7);
}

TEST(Statistics, TenValuesAreCoveredFromTheSecondToTheNinth) {
  const Interval interval = median_interval({10, 9, 8, 7, 6, 5, 4, 3, 2, 1});
  EXPECT_DOUBLE_EQ(interval.low, 2);
  EXPECT_DOUBLE_EQ(interval.high, 9);
}

TEST(Statistics, SixValuesAreCoveredByTheirRange) {
  const Interval interval = median_interval({1, 2, 3, 4, 5, 6});
  EXPECT_DOUBLE_EQ(interval.low, 1);
  EXPECT_DOUBLE_EQ(interval.high, 6);
}

TEST(Statistics, TwoValuesGetAStudentIntervalWiderThanTheirRange) {
  const Interval interval = median_interval({1, 3});
  EXPECT_NEAR(interval.low, 2 - 12.706, 1e-3);
  EXPECT_NEAR(interval.high, 2 + 12.706, 1e-3);
}

TEST(Statistics, PlacementSpreadFollowsTheMeasuredPoints) {
  EXPECT_NEAR(placement_spread(5, "cuda_event") * std::sqrt(2), 0.028, 1e-12);
  EXPECT_NEAR(placement_spread(60, "cuda_event") * std::sqrt(2), 0.0017, 1e-12);
  EXPECT_NEAR(placement_spread(5000, "cuda_event") * std::sqrt(2), 0.001, 1e-12);
  EXPECT_GT(placement_spread(2, "cuda_event"), placement_spread(5, "cuda_event"));
  EXPECT_GT(placement_spread(20, "cuda_event"), placement_spread(40, "cuda_event"));
  EXPECT_DOUBLE_EQ(placement_spread(5, "cpu_clock"), placement_spread(5000, "cpu_clock"));
}

TEST(Statistics, ACallOfManyKernelsSpreadsAsItsKernelsDo) {
  EXPECT_DOUBLE_EQ(kernel_us(600, 0), 600);
  EXPECT_DOUBLE_EQ(kernel_us(600, 5), 600) << "no call has less than one";
  EXPECT_DOUBLE_EQ(kernel_us(600, 480), 20);
  EXPECT_DOUBLE_EQ(kernel_us(6, 480), 2) << "a slow launch of one short kernel";
  EXPECT_DOUBLE_EQ(kernel_us(1, 480), 1);
  const std::vector<BlockPair> pairs(10, BlockPair{600, 600});
  const auto one = speedup_of(pairs, "cuda_event", {10, 10});
  const auto many = speedup_of(pairs, "cuda_event", {480, 480});
  EXPECT_LT(many.low, one.low);
  EXPECT_GT(many.high, one.high);
  EXPECT_DOUBLE_EQ(many.median, one.median);
}

TEST(Statistics, SpeedupIsTheMedianOfPairedRatiosWhateverTheDrift) {
  std::vector<BlockPair> pairs;
  for (int i = 0; i < 10; ++i) {
    const double drift = 1 + 0.05 * i;
    pairs.push_back({200 * drift, 100 * drift});
  }
  const auto speedup = speedup_of(pairs, "cuda_event");
  EXPECT_NEAR(speedup.median, 2, 1e-9);
  EXPECT_LT(speedup.low, 2);
  EXPECT_GT(speedup.high, 2);
  EXPECT_GT(speedup.low, 1.98);
  EXPECT_LT(speedup.high, 2.02);
  EXPECT_EQ(speedup.pairs, 1);
}

TEST(Statistics, ATinyKernelsIntervalIsWideHoweverSteadyItsBlocks) {
  const std::vector<BlockPair> pairs(10, BlockPair{5, 5});
  const auto speedup = speedup_of(pairs, "cuda_event");
  EXPECT_LT(speedup.low, 0.95);
  EXPECT_GT(speedup.high, 1.05);
}

struct CoverageCase {
  double call_us;
  double block_noise;
  int pairs;
};

class StatisticsCoverage : public ::testing::TestWithParam<CoverageCase> {};

TEST_P(StatisticsCoverage, NominalNinetyFivePercentIntervalsHoldTheTruth) {
  const auto [call_us, block_noise, count] = GetParam();
  std::mt19937_64 generator(20240607);
  std::normal_distribution<double> normal;
  constexpr int kRuns = 4000;
  constexpr double kTruth = 1.3;
  int covered = 0;
  for (int run = 0; run < kRuns; ++run) {
    const double reference =
        kTruth * call_us * std::exp(placement_spread(kTruth * call_us, "cuda_event") * normal(generator));
    const double candidate = call_us * std::exp(placement_spread(call_us, "cuda_event") * normal(generator));
    std::vector<BlockPair> pairs;
    for (int i = 0; i < count; ++i) {
      pairs.push_back({reference * std::exp(block_noise * normal(generator)),
                       candidate * std::exp(block_noise * normal(generator))});
    }
    const auto speedup = speedup_of(pairs, "cuda_event");
    if (speedup.low <= kTruth && kTruth <= speedup.high) ++covered;
  }
  EXPECT_GE(covered, kRuns * 94 / 100);
}

INSTANTIATE_TEST_SUITE_P(Kernels, StatisticsCoverage,
                         ::testing::Values(CoverageCase{5, 0.008, 10}, CoverageCase{60, 0.002, 10},
                                           CoverageCase{350, 0.002, 10}, CoverageCase{5000, 0.01, 6},
                                           CoverageCase{60, 0.0001, 6}, CoverageCase{350, 0.002, 3}));

}  // namespace
}  // namespace autokernel::timing
