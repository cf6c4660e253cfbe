#include "kernelbench/scoring/outcome.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/unit/kernelbench/records.hpp"

namespace autokernel::kernelbench {
namespace {

using protocol::StageName;
using protocol::StageOutcome;
using protocol::Verdict;

TEST(Outcome, OfALaterStagesFailureIsCorrectButNotRobust) {
  for (const Verdict verdict :
       {Verdict::kUnstable, Verdict::kNondeterministic, Verdict::kEdgeFailure, Verdict::kCorrect}) {
    const Outcome outcome = outcome_of(ARecord(verdict).timed(200, 100));
    EXPECT_TRUE(outcome.correct);
    EXPECT_FALSE(outcome.robust);
    EXPECT_TRUE(outcome.compiled);
  }
}

TEST(Outcome, TrustsTheVerdictOverTheFlags) {
  ARecord record(Verdict::kCheating);
  record.record().correct = true;
  record.record().robust = true;
  EXPECT_FALSE(outcome_of(record).correct);
  EXPECT_FALSE(outcome_of(record).robust);
}

TEST(Outcome, IsMissingWhereNothingIsSaidOfTheCandidate) {
  EXPECT_TRUE(outcome_of(ARecord(Verdict::kProblemError)).missing);
  EXPECT_TRUE(outcome_of(ARecord(Verdict::kInfrastructure)).missing);
  EXPECT_FALSE(outcome_of(ARecord(Verdict::kTimeout)).missing);
}

TEST(Outcome, IsNotCompiledWhereTheBuildFailedHoweverItFailed) {
  EXPECT_FALSE(outcome_of(ARecord(Verdict::kCompileError)).compiled);
  EXPECT_FALSE(outcome_of(ARecord(Verdict::kLoadError)).compiled);
  EXPECT_TRUE(outcome_of(ARecord(Verdict::kTimeout).stage(StageName::kBuild, StageOutcome::kPassed)).compiled);
  EXPECT_FALSE(outcome_of(ARecord(Verdict::kTimeout).stage(StageName::kBuild, StageOutcome::kFailed)).compiled);
}

TEST(Outcome, HasBothSpeedupsBesideEachOther) {
  const Outcome outcome = outcome_of(ARecord(Verdict::kRobust).timed(2004, 1001).between(1.9, 2.1));
  EXPECT_NEAR(outcome.paired->value, 2004.0 / 1001, 1e-12);
  EXPECT_DOUBLE_EQ(outcome.paired->low, 1.9);
  EXPECT_DOUBLE_EQ(*outcome.means, 2.00 / 1.00);  // 2.004 and 1.001 ms to three digits
}

TEST(Outcome, DividesTheBaselinesMeanWhereOneIsGiven) {
  Baseline baseline;
  baseline.levels[1]["1_P.py"] = TimingStats{3.0};
  EXPECT_DOUBLE_EQ(*outcome_of(ARecord(Verdict::kRobust).timed(2000, 1000), &baseline).means, 3.0);
  EXPECT_FALSE(outcome_of(ARecord(Verdict::kRobust, 2).timed(2000, 1000), &baseline).means);
}

TEST(Outcome, HasNoSpeedupWhereThereIsNoUsableOne) {
  EXPECT_FALSE(outcome_of(ARecord(Verdict::kRobust)).paired);
  ARecord record(Verdict::kRobust);
  record.timed(100, 50).record().timing->speedup->median = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(outcome_of(record).paired);
}

TEST(Outcome, TakesAnEndThatIsNoNumberAsNoBound) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto speedup = outcome_of(ARecord(Verdict::kRobust).timed(100, 50).between(nan, nan)).paired;
  EXPECT_DOUBLE_EQ(speedup->low, 0);
  EXPECT_TRUE(std::isinf(speedup->high));
}

TEST(RatioOfMeans, IsNothingForUntimedAndZeroTimes) {
  EXPECT_FALSE(ratio_of_means(2, -1));
  EXPECT_FALSE(ratio_of_means(2, 0));
  EXPECT_FALSE(ratio_of_means(0, 2));
  EXPECT_FALSE(ratio_of_means(std::numeric_limits<double>::quiet_NaN(), 2));
  EXPECT_DOUBLE_EQ(*ratio_of_means(3, 2), 1.5);
}

}  // namespace
}  // namespace autokernel::kernelbench
