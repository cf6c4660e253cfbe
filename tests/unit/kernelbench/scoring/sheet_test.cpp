#include "kernelbench/scoring/sheet.hpp"

#include <gmock/gmock.h>

#include "tests/unit/kernelbench/records.hpp"

namespace autokernel::kernelbench {
namespace {

using protocol::Verdict;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

std::vector<ScoredProblem> problems(int count, int level = 1) {
  std::vector<ScoredProblem> list;
  for (int id = 1; id <= count; ++id)
    list.push_back({level, id, "level" + std::to_string(level) + "/" + std::to_string(id) + "_P.py"});
  return list;
}

ScoreInput input_of(std::vector<ScoredProblem> list, const std::vector<protocol::Record>& records) {
  ScoreInput input;
  input.problems = std::move(list);
  for (const auto& record : records) input.outcomes.push_back(outcome_of(record));
  return input;
}

TEST(Score, CountsAMissingProblemAsFailed) {
  const auto sheet = score(input_of(problems(4), {ARecord(Verdict::kRobust, 1).timed(200, 100)}));
  const LevelSheet& level = sheet.levels.at(0);
  EXPECT_EQ(level.problems, 4U);
  EXPECT_EQ(level.evaluated, 1U);
  EXPECT_EQ(level.by_correct.scored, 4U);
  EXPECT_EQ(level.by_correct.fast.at(3).count, 1U);
  EXPECT_EQ(level.missing.size(), 3U);
}

TEST(Score, IsAboutSampleZeroAsInKernelBench) {
  const auto sheet = score(
      input_of(problems(2), {ARecord(Verdict::kWrongOutput, 1, 0), ARecord(Verdict::kRobust, 1, 1).timed(300, 100),
                             ARecord(Verdict::kRobust, 2, 1).timed(200, 100)}));
  const LevelSheet& level = sheet.levels.at(0);
  EXPECT_EQ(level.correct, 0U);
  EXPECT_EQ(level.by_correct.accepted, 0U);
  EXPECT_EQ(level.best_correct->accepted, 2U);
  EXPECT_NEAR(level.best_correct->geomean->value, std::sqrt(6.0), 1e-12);
  EXPECT_THAT(level.missing, ElementsAre("level1/2_P.py"));
}

TEST(Score, TakesTheFastestCorrectSampleAsTheBest) {
  const auto sheet =
      score(input_of(problems(1), {ARecord(Verdict::kCorrect, 1, 0), ARecord(Verdict::kUnstable, 1, 1).timed(400, 100),
                                   ARecord(Verdict::kRobust, 1, 2).timed(200, 100),
                                   ARecord(Verdict::kWrongOutput, 1, 3).timed(900, 100)}));
  const LevelSheet& level = sheet.levels.at(0);
  EXPECT_NEAR(level.best_correct->geomean->value, 4, 1e-12);
  EXPECT_NEAR(level.best_robust->geomean->value, 2, 1e-12);
  ASSERT_EQ(level.pass_correct.size(), 2U);
  EXPECT_NEAR(level.pass_correct.at(0).value, 0.75, 1e-12);
  EXPECT_NEAR(level.pass_robust.at(0).value, 0.25, 1e-12);
}

TEST(Score, LetsTheLastRecordOfASampleCount) {
  const auto sheet =
      score(input_of(problems(1), {ARecord(Verdict::kTimeout), ARecord(Verdict::kRobust).timed(200, 100)}));
  EXPECT_EQ(sheet.levels.at(0).robust, 1U);
  EXPECT_THAT(sheet.levels.at(0).verdicts, ElementsAre(Pair("robust", 1U)));
}

TEST(Score, CountsProblemErrorsAsMissingAndListsThem) {
  const auto sheet = score(input_of(problems(2), {ARecord(Verdict::kProblemError, 1).detail("too big"),
                                                  ARecord(Verdict::kInfrastructure, 2).detail("GPU gone")}));
  const LevelSheet& level = sheet.levels.at(0);
  EXPECT_EQ(level.evaluated, 0U);
  EXPECT_THAT(level.pass_correct, IsEmpty());
  ASSERT_EQ(level.problem_errors.size(), 1U);
  EXPECT_EQ(level.problem_errors[0].text, "too big");
  EXPECT_EQ(level.infrastructure.size(), 1U);
}

TEST(Score, DropsProblemsWithoutABaselineFromKernelBenchsOwnScoreOnly) {
  Baseline baseline;
  baseline.levels[1]["1_P.py"] = TimingStats{4.0};
  baseline.levels[1]["2_P.py"] = std::nullopt;
  ScoreInput input;
  input.problems = problems(3);
  input.baseline = &baseline;
  for (int id = 1; id <= 3; ++id)
    input.outcomes.push_back(outcome_of(ARecord(Verdict::kRobust, id).timed(2000, 1000), &baseline));
  const LevelSheet level = score(input).levels.at(0);
  EXPECT_EQ(level.kernelbench.scored, 1U);
  EXPECT_DOUBLE_EQ(level.kernelbench.geomean->value, 4.0);
  EXPECT_EQ(level.by_correct.scored, 3U);
  EXPECT_EQ(level.correct, 3U);
  EXPECT_THAT(level.no_baseline, ElementsAre("level1/2_P.py", "level1/3_P.py"));
}

TEST(Score, ListsCorrectButUntimedOnes) {
  const auto sheet = score(input_of(problems(1), {ARecord(Verdict::kCorrect)}));
  EXPECT_THAT(sheet.levels.at(0).untimed, ElementsAre("level1/1_P.py"));
}

TEST(Score, NamesVacuousProblemsOnceAndCountsTheFloat64Rule) {
  ARecord first(Verdict::kRobust, 1, 0);
  first.record().vacuous = {"zeros", "mean"};
  first.record().rule = "float64";
  ARecord second(Verdict::kWrongOutput, 1, 1);
  second.record().vacuous = {"zeros", "mean"};
  second.record().rule = "float64";
  const auto sheet = score(input_of(problems(1), {first, second}));
  ASSERT_EQ(sheet.overall.vacuous.size(), 1U);
  EXPECT_EQ(sheet.overall.vacuous[0].text, "zeros, mean");
  EXPECT_EQ(sheet.overall.by_float64, 1U);
}

TEST(Score, CountsEveryProblemOnceOverall) {
  auto list = problems(1, 1);
  const auto second = problems(3, 2);
  list.insert(list.end(), second.begin(), second.end());
  const auto sheet =
      score(input_of(list, {ARecord(Verdict::kRobust, 1).timed(200, 100), ARecord(Verdict::kRobust, 9)}));
  EXPECT_EQ(sheet.levels.size(), 2U);
  EXPECT_EQ(sheet.overall.by_correct.scored, 4U);
  EXPECT_EQ(sheet.overall.by_correct.accepted, 1U);
  EXPECT_EQ(sheet.strays, 1U);
}

}  // namespace
}  // namespace autokernel::kernelbench
