#include "worker/runner/compare/accuracy.hpp"

#include <gtest/gtest.h>

namespace autokernel::compare {
namespace {

TEST(Accuracy, DepthOfAMatrixProductIsItsInnerDimension) {
  EXPECT_DOUBLE_EQ(accumulation_depth({64 * 256, 256 * 32}, 64 * 32), 256);
}

TEST(Accuracy, DepthOfAReductionIsItsLength) { EXPECT_DOUBLE_EQ(accumulation_depth({1000 * 50}, 50), 1000); }

TEST(Accuracy, DepthOfAnElementwiseOperationIsOne) { EXPECT_DOUBLE_EQ(accumulation_depth({4096}, 4096), 1); }

TEST(Accuracy, DepthIsBounded) {
  EXPECT_DOUBLE_EQ(accumulation_depth({}, 0), 1);
  EXPECT_DOUBLE_EQ(accumulation_depth({std::uint64_t{1} << 40U}, 1), 16777216);
}

TEST(Accuracy, FactorGrowsWithTheLogarithmOfTheDepth) {
  EXPECT_DOUBLE_EQ(error_factor(1), 6);
  EXPECT_DOUBLE_EQ(error_factor(256), 10);
  EXPECT_DOUBLE_EQ(error_factor(65536), 14);
}

}  // namespace
}  // namespace autokernel::compare
