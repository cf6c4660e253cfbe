#include "client/progress/verdict_block.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client/commands/command.hpp"
#include "tests/unit/client/some_record.hpp"

namespace autokernel::client {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(StageLine, ShowsOutcomeTimeAndDetail) {
  const protocol::StageReport stage{protocol::StageName::kSweep, protocol::StageOutcome::kFailed, 0.412,
                                    "trial 2: off by 3"};
  EXPECT_EQ(stage_line(stage, Paint(false)), "  sweep        failed          0.41 s  trial 2: off by 3");
}

TEST(StageLine, AStageThatWasNotReachedTookNoTime) {
  EXPECT_EQ(stage_line({protocol::StageName::kEdges}, Paint(false)), "  edges        not_reached ");
}

TEST(VerdictBlock, ShowsVerdictTimesAndSpeedup) {
  protocol::Record record = some_record("level1/19_ReLU.py", "relu.cu");
  record.stages = {{protocol::StageName::kSmoke, protocol::StageOutcome::kPassed, 0.4, ""}};
  record.timing.emplace();
  record.timing->candidate_us = protocol::SampleSummary{10, 10.5, 0.5, 9, 12, 100};
  record.timing->speedup = protocol::SpeedupInterval{1.93, 1.91, 1.95, 0.95, 2};
  const std::string text = verdict_block(record, Paint(false));
  EXPECT_THAT(text, HasSubstr("relu.cu on level1/19_ReLU.py: robust\n"));
  EXPECT_THAT(text, HasSubstr("median 10 us"));
  EXPECT_THAT(text, HasSubstr("1.93x [1.91, 1.95] at 95% confidence"));
}

TEST(VerdictBlock, SaysWhyTheSpeedupIsNotTheQuotientOfTheMedians) {
  protocol::Record record = some_record("level1/19_ReLU.py", "relu.cu");
  record.timing.emplace();
  record.timing->candidate_us = protocol::SampleSummary{10, 10, 0, 10, 10, 100};
  record.timing->reference_us = protocol::SampleSummary{20, 20, 0, 20, 20, 100};
  record.timing->speedup = protocol::SpeedupInterval{1.93, 1.91, 1.95, 0.95, 2};
  EXPECT_THAT(verdict_block(record, Paint(false)), HasSubstr("the two medians above divide to 2.00x\n"));
  record.timing->speedup->median = 2.001;
  EXPECT_THAT(verdict_block(record, Paint(false)), Not(HasSubstr("divide")));
}

TEST(VerdictBlock, LeavesOutStagesThatWereShownAlready) {
  protocol::Record record = some_record("level1/19_ReLU.py", "relu.cu");
  record.stages = {{protocol::StageName::kSmoke, protocol::StageOutcome::kPassed, 0.4, ""}};
  EXPECT_THAT(verdict_block(record, Paint(false)), HasSubstr("smoke"));
  EXPECT_THAT(verdict_block(record, Paint(false), false), Not(HasSubstr("smoke")));
}

TEST(ExitCodeOf, TellsWhoseFaultItIs) {
  EXPECT_EQ(exit_code_of(some_record("p", "c", protocol::Verdict::kRobust)), 0);
  EXPECT_EQ(exit_code_of(some_record("p", "c", protocol::Verdict::kWrongOutput)), 1);
  EXPECT_EQ(exit_code_of(some_record("p", "c", protocol::Verdict::kProblemError)), 2);
  EXPECT_EQ(exit_code_of(some_record("p", "c", protocol::Verdict::kInfrastructure)), 3);
}

TEST(VerdictBlock, ShowsAllOfAFailuresDetail) {
  protocol::Record record = some_record("level1/19_ReLU.py", "relu.cu", protocol::Verdict::kCompileError);
  record.detail = "relu.cu:3: expected ';'\nrelu.cu:9: one error";
  EXPECT_THAT(verdict_block(record, Paint(false)), HasSubstr("  relu.cu:3: expected ';'\n  relu.cu:9: one error\n"));
}

TEST(VerdictBlock, PrintsNoEscapeOfACandidate) {
  protocol::Record record = some_record("level1/19\x1b[2J.py", "relu\x1b[2J.cu", protocol::Verdict::kRuntimeError);
  record.detail = "boom \x1b]0;owned\x07\nsecond";
  record.stages = {{protocol::StageName::kSmoke, protocol::StageOutcome::kFailed, 0.4, record.detail}};
  const std::string text = verdict_block(record, Paint(false)) + verdict_line(record, Paint(false));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(text, HasSubstr("boom \\x1b]0;owned\\x07\n"));
}

TEST(VerdictBlock, SaysWhenABatchOverrideHadNothingToChange) {
  protocol::Record record = some_record("level1/19_ReLU.py", "relu.cu");
  EXPECT_THAT(verdict_block(record, Paint(false)), Not(HasSubstr("batch")));
  record.options.batch = 4;
  EXPECT_THAT(verdict_block(record, Paint(false)), HasSubstr("--batch changed nothing"));
}

}  // namespace
}  // namespace autokernel::client
