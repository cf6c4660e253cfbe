#include "kernelbench/scoring/score_line.hpp"

#include <gtest/gtest.h>

namespace autokernel::kernelbench {
namespace {

Outcome correct(double value, double low, double high) {
  Outcome outcome;
  outcome.compiled = outcome.correct = true;
  outcome.paired = Speedup{value, low, high};
  return outcome;
}
Outcome correct(double value) { return correct(value, value, value); }

ScoreLine line_of(const std::vector<Outcome>& outcomes, std::size_t missing, std::vector<double> thresholds,
                  Criterion criterion = Criterion::kCorrect) {
  std::vector<const Outcome*> pointers;
  for (const Outcome& outcome : outcomes) pointers.push_back(&outcome);
  pointers.insert(pointers.end(), missing, nullptr);
  return score_line(pointers, criterion, Measure::kPaired, thresholds);
}

TEST(ScoreLine, CountsStrictlyFasterThanP) {
  const auto line = line_of({correct(1.0), correct(1.0001), correct(2.0)}, 1, {0, 1, 2});
  EXPECT_EQ(line.scored, 4U);
  EXPECT_EQ(line.fast[0].count, 3U);
  EXPECT_EQ(line.fast[1].count, 2U);
  EXPECT_EQ(line.fast[2].count, 0U);
}

TEST(ScoreLine, LeavesWrongOnesOutHoweverFast) {
  Outcome wrong = correct(100);
  wrong.correct = false;
  const auto line = line_of({wrong}, 0, {0});
  EXPECT_EQ(line.fast[0].count, 0U);
  EXPECT_FALSE(line.geomean);
}

TEST(ScoreLine, SaysWhatIsSureAndWhatIsPossible) {
  const auto line = line_of(
      {correct(1.1, 1.05, 1.2), correct(1.01, 0.99, 1.03), correct(0.99, 0.97, 1.01), correct(0.9, 0.8, 0.95)}, 0, {1});
  EXPECT_EQ(line.fast[0].count, 2U);
  EXPECT_EQ(line.fast[0].sure, 1U);
  EXPECT_EQ(line.fast[0].possible, 3U);
}

TEST(ScoreLine, TakesAnUntimedCorrectOneAsPossibleOnly) {
  Outcome untimed;
  untimed.correct = true;
  const auto line = line_of({correct(2), untimed}, 0, {0});
  EXPECT_EQ(line.fast[0].count, 1U);
  EXPECT_EQ(line.fast[0].sure, 1U);
  EXPECT_EQ(line.fast[0].possible, 2U);
  EXPECT_DOUBLE_EQ(line.geomean->value, 2);
  EXPECT_TRUE(line.speed_known());
  EXPECT_FALSE(line_of({untimed}, 0, {0}).speed_known());
}

TEST(ScoreLine, TakesTheGeometricMeanOverCorrectOnes) {
  const auto line = line_of({correct(4, 2, 8), correct(1, 0.5, 2)}, 3, {0});
  EXPECT_NEAR(line.geomean->value, 2, 1e-12);
  EXPECT_NEAR(line.geomean->low, 1, 1e-12);
  EXPECT_NEAR(line.geomean->high, 4, 1e-12);
  EXPECT_EQ(line.geomean->over, 2U);
}

TEST(ScoreLine, ByRobustAsksForMore) {
  Outcome robust = correct(2);
  robust.robust = true;
  EXPECT_EQ(line_of({robust, correct(3)}, 0, {1}, Criterion::kRobust).fast[0].count, 1U);
}

TEST(ScoreLine, OfNothingIsEmpty) {
  const auto line = line_of({}, 0, {0});
  EXPECT_EQ(line.scored, 0U);
  EXPECT_TRUE(line.speed_known());
}

}  // namespace
}  // namespace autokernel::kernelbench
