#include "kernelbench/export/json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client/run/run_status.hpp"
#include "tests/support/machine.hpp"
#include "tests/sweep/small_problems.hpp"

namespace autokernel::test {
namespace {

using protocol::Value;
using ::testing::HasSubstr;

class Json : public ::testing::Test {
 protected:
  void SetUp() override {
    AUTOKERNEL_REQUIRE_REDIS_SERVER();
    place_.use_fake_runner();
    put_problems(place_, 2);
  }

  /// stdout holds one JSON document and nothing else.
  static Value document(const CallResult& result) {
    auto value = kernelbench::parse_json(result.output);
    EXPECT_TRUE(value) << result.output << result.errors;
    return value ? *value : Value();
  }
  Workplace place_;
};

TEST_F(Json, SweepPrintsRunAndScores) {
  const Value sweep = document(place_.call(small_sweep({"--json"})));
  EXPECT_EQ(*sweep.find("run"), Value("run"));
  EXPECT_NE(sweep.find("scores"), nullptr);
}

TEST_F(Json, ScoresOfTheRunFolderAreWhatScorePrints) {
  ASSERT_EQ(place_.call(small_sweep()).status.code, 0);
  const auto score = place_.call({"score", "run", "--json"});
  EXPECT_EQ(score.status.code, 0);
  EXPECT_EQ(document(score), *kernelbench::parse_json(place_.text_of("run/scores.json")));
}

TEST_F(Json, TheRunFolderHasEveryFile) {
  ASSERT_EQ(place_.call(small_sweep()).status.code, 0);
  for (const char* name : {"run.toml", "results.jsonl", "eval_results.json", "results.tsv", "scores.json"}) {
    EXPECT_NE(place_.text_of(std::string("run/") + name), "") << name;
  }
  EXPECT_TRUE(kernelbench::parse_json(place_.text_of("run/eval_results.json")));
}

TEST_F(Json, StatusOfAFinishedRun) {
  ASSERT_EQ(place_.call(small_sweep()).status.code, 0);
  const Value status = document(place_.call({"status", "run", "--json"}));
  EXPECT_EQ(*status.find("state"), Value("finished"));
  EXPECT_EQ(*status.find("done"), Value(2));
  EXPECT_EQ(*status.find("total"), Value(2));
  EXPECT_TRUE(status.find("queue")->is_nil());
}

TEST_F(Json, StatusOfARunningRunHearsItsCoordinator) {
  put_problems(place_, 200);
  system::ChildProcess sweep = place_.start(small_sweep());
  ASSERT_TRUE(wait_for_verdicts(place_ / "run/results.jsonl", 2, sweep));
  // In-process: a second call of the program here would overwrite what the sweep prints.
  const auto looked = client::status_of_run(place_ / "run");
  ASSERT_TRUE(looked) << looked.error().message;
  const Value status = client::status_value(*looked);
  EXPECT_EQ(*status.find("state"), Value("running")) << place_.errors();
  EXPECT_FALSE(status.find("queue")->is_nil());
  sweep.stop(std::chrono::seconds(10));
}

TEST_F(Json, EvalPrintsTheVerdict) {
  const auto result = place_.call(
      {"eval", "problems/" + problem_file(1), "candidates/" + candidate_file(1), "--devices", "cpu", "--json"});
  EXPECT_EQ(result.status.code, 0) << result.errors;
  const Value verdict = document(result);
  EXPECT_EQ(*verdict.find("verdict"), Value("robust"));
  EXPECT_EQ(*verdict.find("problem"), Value(problem_file(1)));
}

TEST_F(Json, EvalOfACrashingCandidateIsNoErrorOfTheCall) {
  place_.put("bad.py", std::string(kSmallCandidate) + "# CRASH\n");
  const auto result = place_.call({"eval", "problems/" + problem_file(1), "bad.py", "--devices", "cpu"});
  EXPECT_EQ(result.status.code, 1) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("crashed"));
}

TEST_F(Json, BaselineWritesKernelBenchsFile) {
  const auto result =
      place_.call({"baseline", "--problems", "problems", "--devices", "cpu", "--run", "run", "--out", "baseline.json"});
  EXPECT_EQ(result.status.code, 0) << result.errors;
  const auto baseline = kernelbench::parse_json(place_.text_of("baseline.json"));
  ASSERT_TRUE(baseline);
  ASSERT_NE(baseline->find("level1"), nullptr);
  EXPECT_NE(baseline->find("level1")->find("1_p.py"), nullptr);
}

TEST_F(Json, DoctorPrintsItsFindings) {
  const auto result = place_.call({"doctor", "--json"});
  EXPECT_NE(document(result).find("can_sweep"), nullptr);
}

}  // namespace
}  // namespace autokernel::test
