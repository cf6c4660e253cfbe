#include "common/protocol/record.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/protocol/describe.hpp"

namespace autokernel::protocol {
namespace {

Record a_record() {
  Record record;
  record.problem = "level1/19_ReLU.py";
  record.candidate = "level_1_problem_19_sample_0_kernel.py";
  record.verdict = Verdict::kRobust;
  record.correct = true;
  record.robust = true;
  record.stages = {{StageName::kBuild, StageOutcome::kPassed, 0.25, ""},
                   {StageName::kEdges, StageOutcome::kSkipped, 0, "no tensor inputs"}};
  record.timing = TimingReport{.candidate_us = SampleSummary{.median = 10, .samples = 100},
                               .reference_us = SampleSummary{.median = 19.3, .samples = 100},
                               .speedup = SpeedupInterval{.median = 1.93, .low = 1.91, .high = 1.95},
                               .candidate_samples_us = {9.5, 10, 10.5},
                               .reference_samples_us = {19.3},
                               .method = "cpu_clock"};
  record.environment = {{"device", "cpu"}};
  return record;
}

TEST(Record, ComesBackByteForByte) {
  const std::string bytes = pack(a_record());
  const auto received = unpack<Record>(bytes);
  ASSERT_TRUE(received) << received.error().message;
  EXPECT_EQ(pack(*received), bytes);
  EXPECT_EQ(received->verdict, Verdict::kRobust);
  EXPECT_EQ(received->timing->candidate_samples_us, (std::vector<double>{9.5, 10, 10.5}));
}

TEST(Record, SaysNilWhereAFieldDoesNotApply) {
  const Value value = to_value(Record{});
  EXPECT_TRUE(value.find("timing")->is_nil());
  EXPECT_TRUE(value.find("kernels")->is_nil());
  EXPECT_TRUE(value.find("peak_memory_mb")->is_nil());
}

TEST(Verdict, CountsAsCorrectWhereTheFirstTwoStagesPassed) {
  for (const auto& [verdict, name] : names_of(Verdict{})) {
    const bool expected = verdict == Verdict::kCorrect || verdict == Verdict::kRobust ||
                          verdict == Verdict::kUnstable || verdict == Verdict::kNondeterministic ||
                          verdict == Verdict::kEdgeFailure;
    EXPECT_EQ(counts_as_correct(verdict), expected) << name;
  }
}

TEST(Verdict, HasANameOfItsOwnEach) {
  for (const auto& [verdict, name] : names_of(Verdict{})) EXPECT_EQ(parse_name<Verdict>(name), verdict);
}

}  // namespace
}  // namespace autokernel::protocol
