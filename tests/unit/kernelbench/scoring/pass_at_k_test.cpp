#include "kernelbench/scoring/pass_at_k.hpp"

#include <gtest/gtest.h>

namespace autokernel::kernelbench {
namespace {

TEST(PassAtK, OfOneDrawIsTheShareOfRightSamples) { EXPECT_DOUBLE_EQ(pass_at_k(10, 3, 1), 0.3); }

TEST(PassAtK, EqualsCountingDraws) {
  // 5 samples, 2 right: 10 pairs, 3 of them without a right one.
  EXPECT_NEAR(pass_at_k(5, 2, 2), 0.7, 1e-12);
}

TEST(PassAtK, IsCertainWhereWrongOnesDoNotFillTheDraw) {
  EXPECT_DOUBLE_EQ(pass_at_k(5, 3, 3), 1);
  EXPECT_DOUBLE_EQ(pass_at_k(5, 5, 1), 1);
}

TEST(PassAtK, IsZeroWithoutRightSamplesOrDraws) {
  EXPECT_DOUBLE_EQ(pass_at_k(5, 0, 5), 0);
  EXPECT_DOUBLE_EQ(pass_at_k(0, 0, 1), 0);
  EXPECT_DOUBLE_EQ(pass_at_k(5, 2, 0), 0);
}

TEST(PassAtKs, AveragesOverAllProblemsAndDrawsWhatThereIs) {
  const std::vector<SampleCount> problems{{4, 1}, {2, 1}, {0, 0}};
  const std::vector<std::size_t> ks{1, 4, 10};
  const auto results = pass_at_ks(problems, ks);
  ASSERT_EQ(results.size(), 2U);  // nobody has ten samples
  EXPECT_NEAR(results[0].value, (0.25 + 0.5 + 0) / 3, 1e-12);
  EXPECT_NEAR(results[1].value, (1.0 + 1.0 + 0) / 3, 1e-12);
  EXPECT_EQ(results[1].short_of_k, 1U);
}

}  // namespace
}  // namespace autokernel::kernelbench
