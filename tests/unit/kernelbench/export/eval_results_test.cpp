#include "kernelbench/export/eval_results.hpp"

#include <gmock/gmock.h>

#include "kernelbench/export/json.hpp"
#include "tests/unit/kernelbench/records.hpp"

namespace autokernel::kernelbench {
namespace {

using protocol::StageName;
using protocol::StageOutcome;
using protocol::Value;
using protocol::Verdict;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::string metadata(const protocol::Record& record) { return to_json(Value(eval_row_of(record)->metadata)); }

TEST(EvalRow, OfACorrectCandidateHoldsRoundedMilliseconds) {
  const auto row = eval_row_of(ARecord(Verdict::kRobust, 1, 3).timed(5421.7, 2713.9));
  EXPECT_EQ(row->sample_id, 3);
  EXPECT_TRUE(row->compiled);
  EXPECT_TRUE(row->correctness);
  EXPECT_DOUBLE_EQ(row->runtime, 2.71);
  EXPECT_DOUBLE_EQ(row->stats->mean, 2.71);
  EXPECT_DOUBLE_EQ(row->stats->std, 0.001);
  EXPECT_EQ(row->stats->trials, 100);
  EXPECT_EQ(to_json(Value(row->metadata)),
            R"j({"hardware":"A GPU","device":"cuda:0","correctness_trials":"(5 / 5)","autokernel_verdict":"robust"})j");
}

TEST(EvalRow, OfAMismatchHoldsDifferencesAndNoTime) {
  ARecord record(Verdict::kWrongOutput);
  record.timed(100, 50).record().max_difference = 3.14159265;
  record.record().mean_difference = 0.5;
  record.record().trials_passed = 0;
  const auto row = eval_row_of(record);
  EXPECT_TRUE(row->compiled);
  EXPECT_FALSE(row->correctness);
  EXPECT_DOUBLE_EQ(row->runtime, -1);
  EXPECT_FALSE(row->stats);
  EXPECT_THAT(
      metadata(record),
      AllOf(HasSubstr(R"("max_difference":["3.141593"])"), HasSubstr(R"("avg_difference":["0.500000"])"),
            HasSubstr(R"("correctness_issue":"Output mismatch")"), HasSubstr(R"j("correctness_trials":"(0 / 5)")j")));
}

TEST(EvalRow, NamesTheErrorByItsClass) {
  const std::string trace =
      "Traceback (most recent call last):\n  File \"x\"\nValueError: sizes differ" + std::string(300, '!');
  const auto row = eval_row_of(ARecord(Verdict::kRuntimeError).detail(trace));
  EXPECT_TRUE(row->compiled);
  const Value value(row->metadata);
  EXPECT_EQ(*value.find("runtime_error_name"), Value("ValueError"));
  EXPECT_EQ(value.find("runtime_error")->as<std::string>()->size(), 203U);
  EXPECT_EQ(*value.find("runtime_error_traceback"), Value(trace));
}

TEST(EvalRow, HasTheKeysOfEachOutcome) {
  EXPECT_THAT(metadata(ARecord(Verdict::kCompileError).detail("error: x")),
              AllOf(HasSubstr(R"("compilation_error_name":"CompilationError")"),
                    HasSubstr(R"("compilation_error":"error: x")")));
  EXPECT_THAT(metadata(ARecord(Verdict::kLoadError).detail("ModuleNotFoundError: x")),
              HasSubstr(R"("compilation_error_name":"ModuleNotFoundError")"));
  EXPECT_THAT(metadata(ARecord(Verdict::kOutOfMemory)), HasSubstr(R"("runtime_error_name":"OutOfMemoryError")"));
  EXPECT_THAT(metadata(ARecord(Verdict::kTimeout)), HasSubstr(R"("error":"Evaluation timed out")"));
  EXPECT_THAT(metadata(ARecord(Verdict::kCrashed).detail("SIGSEGV")), HasSubstr(R"("error":"SIGSEGV")"));
  EXPECT_THAT(metadata(ARecord(Verdict::kWrongStructure).detail("shape (2, 3)")),
              AllOf(HasSubstr(R"j("correctness_issue":"shape (2, 3)")j"), HasSubstr("correctness_issue_name")));
  EXPECT_THAT(metadata(ARecord(Verdict::kImplausible)), HasSubstr(R"("excessive_speedup":true)"));
  EXPECT_THAT(metadata(ARecord(Verdict::kCheating)),
              AllOf(HasSubstr(R"("other_error_name":"cheating")"), Not(HasSubstr("excessive"))));
}

TEST(EvalRow, NamesTheDeviceAsTorchDoes) {
  ARecord record(Verdict::kTimeout);
  record.record().environment["device_id"] = "cpu";
  EXPECT_THAT(metadata(record), HasSubstr(R"("device":"cpu")"));
  record.record().environment["device_id"] = "GPU-6b1f";
  EXPECT_THAT(metadata(record), HasSubstr(R"("device":"cuda:0")"));
}

TEST(EvalRow, SaysWhyACorrectOneWasNotTimed) {
  const auto record = ARecord(Verdict::kCorrect).stage(StageName::kTiming, StageOutcome::kFailed, "throttled");
  EXPECT_THAT(metadata(record), HasSubstr(R"("error_during_performance":"throttled")"));
  EXPECT_DOUBLE_EQ(eval_row_of(record)->runtime, -1);
}

TEST(EvalRow, IsMissingWhereNothingIsSaidOfTheCandidate) {
  EXPECT_FALSE(eval_row_of(ARecord(Verdict::kProblemError)));
  EXPECT_FALSE(eval_row_of(ARecord(Verdict::kInfrastructure)));
  ARecord baseline(Verdict::kTimed);
  baseline.record().kind = protocol::JobKind::kBaseline;
  EXPECT_FALSE(eval_row_of(baseline));
}

TEST(EvalResults, AreOfOneLevelSortedByNumber) {
  const std::vector<protocol::Record> records{ARecord(Verdict::kTimeout, 10), ARecord(Verdict::kTimeout, 2, 1),
                                              ARecord(Verdict::kTimeout, 2, 0), ARecord(Verdict::kRobust, 10),
                                              ARecord(Verdict::kRobust, 5).at_level(2)};
  const auto text = eval_results_text(eval_results_of(records, 1));
  const auto value = *parse_json(text);
  const auto& map = *value.as<Value::Map>();
  ASSERT_EQ(map.size(), 2U);
  EXPECT_EQ(map[0].first, "2");
  EXPECT_EQ(map[1].first, "10");
  EXPECT_EQ(map[1].second.as<Value::Array>()->size(), 1U);  // the later record replaced the earlier one
  EXPECT_THAT(text, HasSubstr(R"("runtime_stats": {})"));
}

TEST(EvalResults, AreNamedByLevelWhereThereAreSeveral) {
  EXPECT_EQ(eval_results_file_name(2, true), "eval_results.json");
  EXPECT_EQ(eval_results_file_name(2, false), "eval_results_level2.json");
}

TEST(EvalResults, RoundTrip) {
  const std::vector<protocol::Record> records{ARecord(Verdict::kRobust, 1).timed(2000, 1000),
                                              ARecord(Verdict::kWrongOutput, 2)};
  const auto text = eval_results_text(eval_results_of(records, 1));
  const auto parsed = parse_eval_results(text);
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(eval_results_text(*parsed), text);
}

TEST(ParseEvalResults, TakesOneObjectPerProblemAsOlderVersionsWrote) {
  const auto parsed = parse_eval_results(
      R"({"3": {"compiled": true, "correctness": true, "runtime": 2, "runtime_stats": {"mean": 2}}})");
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_DOUBLE_EQ(parsed->at(3).at(0).runtime, 2);
}

TEST(ParseEvalResults, TakesWhatIsNoNumberAsNotTimed) {
  const auto parsed = parse_eval_results(R"({
    "1": [{"sample_id": 0, "compiled": true, "correctness": true, "runtime": NaN, "runtime_stats": {"mean": NaN}}],
    "2": [{"sample_id": null, "compiled": true, "correctness": true, "runtime": Infinity, "runtime_stats": null}, null],
    "3": [{"compiled": null, "correctness": null, "metadata": null, "runtime": null, "runtime_stats": {"mean": null}}],
    "4": null})");
  ASSERT_TRUE(parsed) << parsed.error().message;
  Baseline baseline;
  const std::vector<ScoredProblem> problems{{1, 1, "level1/1_P.py"}, {1, 2, "level1/2_P.py"}, {1, 3, "level1/3_P.py"}};
  for (const ScoredProblem& problem : problems) baseline.levels[1][problem.name.substr(7)] = TimingStats{3.0};
  const auto outcomes = outcomes_of(*parsed, 1, problems, baseline);
  ASSERT_EQ(outcomes.size(), 3U);
  for (const Outcome& outcome : outcomes) EXPECT_FALSE(outcome.means) << outcome.problem_id;
  EXPECT_TRUE(outcomes[1].correct);
  EXPECT_FALSE(outcomes[2].compiled);
}

TEST(ParseEvalResults, NamesProblemAndField) {
  EXPECT_THAT(parse_eval_results(R"({"3": [{"compiled": 1}]})").error().message,
              AllOf(HasSubstr("problem 3"), HasSubstr("'compiled'")));
  EXPECT_THAT(parse_eval_results(R"({"x": []})").error().message, HasSubstr("no problem number"));
  EXPECT_THAT(parse_eval_results("[]").error().message, HasSubstr("eval_results.json"));
  EXPECT_THAT(parse_eval_results("{\n\"1\": [}").error().message, HasSubstr("line 2"));
}

/// A level of six problems as KernelBench would score it, computed by hand from the stored three-digit values.
TEST(KernelBenchScore, IsReproducedFromItsOwnFiles) {
  const auto results = parse_eval_results(R"({
    "1": [{"sample_id": 0, "compiled": true, "correctness": true, "metadata": {}, "runtime": 2.0, "runtime_stats": {}},
          {"sample_id": 1, "compiled": true, "correctness": true, "metadata": {}, "runtime": 0.1, "runtime_stats": {}}],
    "2": [{"sample_id": 0, "compiled": true, "correctness": true, "metadata": {}, "runtime": 3.0, "runtime_stats": {}}],
    "3": [{"sample_id": 0, "compiled": true, "correctness": false, "metadata": {}, "runtime": -1.0, "runtime_stats": {}}],
    "4": [{"sample_id": 0, "compiled": true, "correctness": true, "metadata": {}, "runtime": -1.0, "runtime_stats": {}}],
    "5": [{"sample_id": 0, "compiled": false, "correctness": false, "metadata": {}, "runtime": -1.0, "runtime_stats": {}}]})");
  ASSERT_TRUE(results) << results.error().message;
  Baseline baseline;
  for (int id : {1, 2, 3, 4, 5}) baseline.levels[1][std::to_string(id) + "_P.py"] = TimingStats{3.0};
  ScoreInput input;
  for (int id = 1; id <= 6; ++id) input.problems.push_back({1, id, "level1/" + std::to_string(id) + "_P.py"});
  input.outcomes = outcomes_of(*results, 1, input.problems, baseline);
  input.baseline = &baseline;
  input.robust_known = false;
  const LevelSheet level = score(input).levels.at(0);

  EXPECT_EQ(level.kernelbench.scored, 5U);            // problem 6 has no baseline
  EXPECT_EQ(level.kernelbench.fast.at(0).count, 2U);  // fast_0: problem 4 was not timed
  EXPECT_EQ(level.kernelbench.fast.at(3).count, 1U);  // fast_1: 3/2 only, since 3/3 is not strictly above 1
  EXPECT_EQ(level.kernelbench.fast.at(4).count, 0U);  // fast_1.5: 3/2 is not above 1.5
  EXPECT_NEAR(level.kernelbench.geomean->value, std::sqrt(1.5), 1e-12);  // KernelBench itself says NaN, for problem 4
  EXPECT_EQ(level.compiled, 4U);
  EXPECT_EQ(level.correct, 3U);
  EXPECT_EQ(level.problems, 6U);
  EXPECT_THAT(level.untimed, ElementsAre("level1/4_P.py"));
  EXPECT_NEAR(level.pass_correct.at(0).value, 3.0 / 6, 1e-12);
}

}  // namespace
}  // namespace autokernel::kernelbench
