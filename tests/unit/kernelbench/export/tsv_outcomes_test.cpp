#include "kernelbench/export/tsv_outcomes.hpp"

#include <gmock/gmock.h>

#include "tests/unit/kernelbench/records.hpp"

namespace autokernel::kernelbench {
namespace {

using protocol::Verdict;
using testing::HasSubstr;

TEST(TsvOutcomes, ScoreWhatARunWroteAsItsRecordsDo) {
  const std::vector<protocol::Record> records{
      ARecord(Verdict::kRobust, 1).timed(200, 100), ARecord(Verdict::kUnstable, 2).timed(100, 200),
      ARecord(Verdict::kCompileError, 3).detail("x.cu:1: no"), ARecord(Verdict::kProblemError, 4)};
  const auto parsed = parse_tsv(tsv_text(tsv_rows(records)));
  ASSERT_TRUE(parsed);
  const auto read = tsv_outcomes(*parsed);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_TRUE(read->robust_known);
  ASSERT_EQ(read->problems.size(), 4U);
  for (std::size_t i = 0; i < records.size(); ++i) {
    const Outcome expected = outcome_of(records[i]);
    const Outcome& found = read->outcomes[i];
    EXPECT_EQ(read->problems[i].name, records[i].problem);
    EXPECT_EQ(found.level, expected.level);
    EXPECT_EQ(found.problem_id, expected.problem_id);
    EXPECT_EQ(found.sample, expected.sample);
    EXPECT_EQ(found.verdict, expected.verdict);
    EXPECT_EQ(found.missing, expected.missing);
    EXPECT_EQ(found.compiled, expected.compiled);
    EXPECT_EQ(found.correct, expected.correct);
    EXPECT_EQ(found.robust, expected.robust);
    EXPECT_EQ(found.paired.has_value(), expected.paired.has_value());
    if (expected.paired) {
      EXPECT_DOUBLE_EQ(found.paired->value, expected.paired->value);
    }
  }
}

TEST(TsvOutcomes, CountSamplesThatATagDoesNotName) {
  const std::vector<TsvRow> rows{
      {.experiment = 1, .tag = "first", .kernel_type = "level2/7_Net", .correctness = "PASS"},
      {.experiment = 2, .tag = "second", .kernel_type = "level2/7_Net", .correctness = "FAIL"}};
  const auto read = tsv_outcomes(rows);
  ASSERT_TRUE(read);
  EXPECT_FALSE(read->robust_known);
  EXPECT_EQ(read->problems.size(), 1U);
  EXPECT_EQ(read->outcomes[0].sample, 0);
  EXPECT_EQ(read->outcomes[1].sample, 1);
  EXPECT_TRUE(read->outcomes[0].correct);
  EXPECT_FALSE(read->outcomes[1].correct);
}

TEST(TsvOutcomes, AreRefusedWhereARowIsAboutNoProblem) {
  for (const char* kernel_type :
       {"matmul", "level1", "level1/", "level1/x_ReLU", "levelx/1_ReLU", "level1/19", "level-1/19_R"}) {
    const std::vector<TsvRow> rows{{.experiment = 12, .kernel_type = kernel_type}};
    const auto read = tsv_outcomes(rows);
    ASSERT_FALSE(read) << kernel_type;
    EXPECT_EQ(read.error().code, Code::kInvalid);
    EXPECT_THAT(read.error().message, HasSubstr("experiment 12"));
  }
}

}  // namespace
}  // namespace autokernel::kernelbench
