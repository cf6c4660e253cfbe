#include "kernelbench/scoring/baseline.hpp"

#include <gtest/gtest.h>

namespace autokernel::kernelbench {
namespace {

TEST(ThreeDigits, RoundsAsKernelBenchStoresThem) {
  EXPECT_DOUBLE_EQ(three_digits(2.7149), 2.71);
  EXPECT_DOUBLE_EQ(three_digits(0.0182654), 0.0183);
  EXPECT_DOUBLE_EQ(three_digits(1234.5), 1230);
  EXPECT_DOUBLE_EQ(three_digits(0), 0);
}

TEST(Baseline, FindsAProblemByAnyFormOfItsName) {
  Baseline baseline;
  baseline.levels[1]["19_ReLU.py"] = TimingStats{2};
  baseline.levels[1]["20_Old"] = TimingStats{3};
  EXPECT_DOUBLE_EQ(baseline.find(1, "level1/19_ReLU.py")->mean, 2);
  EXPECT_DOUBLE_EQ(baseline.find(1, "19_ReLU")->mean, 2);
  EXPECT_DOUBLE_EQ(baseline.find(1, "20_Old.py")->mean, 3);
}

TEST(Baseline, HasNothingForAbsentAndFailedProblemsAlike) {
  Baseline baseline;
  baseline.levels[1]["19_ReLU.py"] = std::nullopt;
  EXPECT_EQ(baseline.find(1, "19_ReLU.py"), nullptr);
  EXPECT_EQ(baseline.find(1, "20_X.py"), nullptr);
  EXPECT_EQ(baseline.find(2, "19_ReLU.py"), nullptr);
}

}  // namespace
}  // namespace autokernel::kernelbench
