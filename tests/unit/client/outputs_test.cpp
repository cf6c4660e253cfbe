#include "client/run/outputs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/client/some_record.hpp"

namespace autokernel::client {
namespace {

using ::testing::DoubleNear;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

/// As a worker records one that was built, waited, and brought its judge along.
protocol::Record evaluated() {
  protocol::Record record = some_record("level1/19_ReLU.py", "a.py");
  record.seconds = 10;
  record.phases = {{"build", 20}, {"build_wait", 40}, {"queue_wait", 80},      {"judge_prepare", 3},  {"device", 1},
                   {"inputs", 2}, {"teardown", 0.5},  {"timing_candidate", 4}, {"candidate_start", 1}};
  record.phases["gpu_seconds"] = 6;
  return record;
}

TEST(LaneTime, IsWhatTheLanesClockSaidWithoutWaitingAndBuilding) {
  const LaneTime time = lane_time({evaluated(), evaluated()});
  EXPECT_DOUBLE_EQ(time.seconds, 20);
}

TEST(LaneTime, ItsPartsAddUpWithNothingCountedTwice) {
  EXPECT_THAT(
      lane_time({evaluated()}).parts,
      UnorderedElementsAre(Pair("device", 1), Pair("inputs", 2), Pair("teardown", 0.5), Pair("timing_candidate", 4),
                           Pair("candidate_start", 1), Pair("other", DoubleNear(1.5, 1e-9))));
}

TEST(LaneTime, ACompileErrorNeverWasOnALane) {
  protocol::Record record = some_record("level1/19_ReLU.py", "a.cu", protocol::Verdict::kCompileError);
  record.phases = {{"build", 20}, {"build_wait", 0}};
  const LaneTime time = lane_time({record});
  EXPECT_EQ(time.seconds, 0);
  EXPECT_THAT(time.parts, IsEmpty());
  EXPECT_EQ(lane_time_text(time), "");
}

TEST(LaneTime, ReadsTheLargestFirst) {
  EXPECT_EQ(lane_time_text(lane_time({evaluated()})),
            "lane time: 10.0 s (timing_candidate 4.0, inputs 2.0, other 1.5, candidate_start 1.0, device 1.0, teardown "
            "0.5)");
}

TEST(LaneTime, LeavesOutWhatWouldReadAsNothing) {
  protocol::Record record = some_record("level1/19_ReLU.py", "a.py");
  record.seconds = 2;
  record.phases = {{"inputs", 1.96}, {"device", 0.04}};
  EXPECT_EQ(lane_time_text(lane_time({record})), "lane time: 2.0 s (inputs 2.0)");
}

TEST(PhaseTotals, KeepEveryPhaseUnderItsName) {
  const auto totals = phase_totals({evaluated(), evaluated()});
  EXPECT_DOUBLE_EQ(totals.at("build"), 40);
  EXPECT_DOUBLE_EQ(totals.at("queue_wait"), 160);
}

TEST(SheetOf, KnowsWhatTheRunsOptionsAskedFor) {
  const std::vector<protocol::Record> records{some_record("level1/19_ReLU.py", "a.py", protocol::Verdict::kCorrect)};
  const std::vector<kernelbench::ScoredProblem> problems{{1, 19, "level1/19_ReLU.py"}};
  protocol::EvaluationOptions options;
  EXPECT_TRUE(sheet_of(records, problems, nullptr, options).robust_known);
  options.stages = protocol::StageSet::kCorrect;
  options.timing = false;
  const auto sheet = sheet_of(records, problems, nullptr, options);
  EXPECT_FALSE(sheet.robust_known);
  EXPECT_FALSE(sheet.robust_asked);
  EXPECT_FALSE(sheet.overall.by_robust.speed_known());
}

}  // namespace
}  // namespace autokernel::client
