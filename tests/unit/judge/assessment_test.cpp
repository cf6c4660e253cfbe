#include "worker/runner/judge/assessment.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace autokernel::judge {
namespace {

using protocol::StageName;
using protocol::Verdict;

std::vector<StageResult> all_passed() {
  return {passed(StageName::kSmoke), passed(StageName::kSweep), passed(StageName::kStability),
          passed(StageName::kDeterminism), passed(StageName::kEdges)};
}

TEST(Assessment, FivePassedStagesAreRobust) {
  const Assessment result = assess(all_passed());
  EXPECT_EQ(result.verdict, Verdict::kRobust);
  EXPECT_TRUE(result.correct);
  EXPECT_TRUE(result.robust);
}

TEST(Assessment, AFailedSmokeIsTheVerdict) {
  const Assessment result = assess(
      {failed(StageName::kSmoke, Verdict::kWrongStructure, "the output is None"), not_reached(StageName::kSweep)});
  EXPECT_EQ(result.verdict, Verdict::kWrongStructure);
  EXPECT_EQ(result.detail, "the output is None");
  EXPECT_FALSE(result.correct);
}

TEST(Assessment, AFailedLaterStageLeavesItCorrect) {
  auto stages = all_passed();
  stages[3] = failed(StageName::kDeterminism, Verdict::kNondeterministic, "differs");
  const Assessment result = assess(stages);
  EXPECT_EQ(result.verdict, Verdict::kNondeterministic);
  EXPECT_TRUE(result.correct);
  EXPECT_FALSE(result.robust);
}

TEST(Assessment, TheFirstFailingLaterStageNamesTheVerdict) {
  auto stages = all_passed();
  stages[2] = failed(StageName::kStability, Verdict::kUnstable, "overflow");
  stages[4] = failed(StageName::kEdges, Verdict::kEdgeFailure, "strides");
  EXPECT_EQ(assess(stages).verdict, Verdict::kUnstable);
}

TEST(Assessment, ASkippedStageMeansCorrectOnlyAndSaysWhy) {
  auto stages = all_passed();
  stages[2] = skipped(StageName::kStability, "not asked for");
  const Assessment result = assess(stages);
  EXPECT_EQ(result.verdict, Verdict::kCorrect);
  EXPECT_FALSE(result.robust);
  EXPECT_EQ(result.detail, "stability skipped: not asked for");
}

TEST(Assessment, CheatingAnywhereTakesTheVerdict) {
  auto stages = all_passed();
  auto caught = failed(StageName::kTiming, Verdict::kCheating, "other output when timed");
  caught.cheating_kind = "timed_output";
  stages.push_back(caught);
  const Assessment result = assess(stages);
  EXPECT_EQ(result.verdict, Verdict::kCheating);
  EXPECT_EQ(result.cheating_kind, "timed_output");
  EXPECT_FALSE(result.correct);
  EXPECT_FALSE(result.robust);
}

TEST(Assessment, ATimingThatFailedChangesNothing) {
  auto stages = all_passed();
  stages.push_back(failed(StageName::kTiming, Verdict::kTimeout, "too slow"));
  EXPECT_EQ(assess(stages).verdict, Verdict::kRobust);
}

}  // namespace
}  // namespace autokernel::judge
