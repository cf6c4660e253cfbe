#include "kernelbench/export/baseline_json.hpp"

#include <gmock/gmock.h>

#include "tests/unit/kernelbench/records.hpp"

namespace autokernel::kernelbench {
namespace {

using protocol::Verdict;
using testing::AllOf;
using testing::HasSubstr;

TEST(Baseline, RoundTripsWithFailedProblemsAsNull) {
  Baseline baseline;
  baseline.levels[1]["2_B.py"] = TimingStats{2.71, 0.0183, 2.69, 2.83, 100, "A GPU", "cuda:0"};
  baseline.levels[1]["10_A.py"] = std::nullopt;
  baseline.levels[3]["1_C.py"] = TimingStats{1};
  const auto text = baseline_text(baseline);
  EXPECT_LT(text.find("2_B.py"), text.find("10_A.py"));
  EXPECT_THAT(text, HasSubstr("\"10_A.py\": null"));
  const auto parsed = parse_baseline(text);
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(parsed->levels, baseline.levels);
}

TEST(Baseline, IsMadeFromBaselineRecordsOnly) {
  ARecord timed(Verdict::kTimed, 1);
  timed.timed(2713.9, 1);
  timed.record().kind = protocol::JobKind::kBaseline;
  timed.record().timing->candidate_us.reset();
  ARecord failed(Verdict::kProblemError, 2);
  failed.record().kind = protocol::JobKind::kBaseline;
  const std::vector<protocol::Record> records{timed, failed, ARecord(Verdict::kRobust, 3).timed(1, 1)};
  const Baseline baseline = baseline_of(records);
  ASSERT_EQ(baseline.levels.at(1).size(), 2U);
  EXPECT_DOUBLE_EQ(baseline.find(1, "1_P.py")->mean, 2.71);
  EXPECT_EQ(baseline.find(1, "1_P.py")->device, "cuda:0");
  EXPECT_FALSE(baseline.levels.at(1).at("2_P.py"));
}

TEST(ParseBaseline, NamesWhatIsWrong) {
  EXPECT_THAT(parse_baseline(R"({"level1": {"1_A.py": {"std": 1}}})").error().message,
              AllOf(HasSubstr("1_A.py"), HasSubstr("'mean'")));
  EXPECT_THAT(parse_baseline(R"({"level1": {"1_A.py": {"mean": "fast"}}})").error().message, HasSubstr("'mean'"));
  EXPECT_THAT(parse_baseline(R"({"level1": []})").error().message, HasSubstr("'level1'"));
  EXPECT_THAT(parse_baseline(R"({"config": {}})").error().message, HasSubstr("'level1'"));
  EXPECT_THAT(parse_baseline("1").error().message, HasSubstr("not a KernelBench baseline"));
}

TEST(ParseBaseline, HasNoTimeWhereTheMeanIsNoNumber) {
  const auto baseline = parse_baseline(
      R"({"level1": {"1_A.py": {"mean": NaN}, "2_B.py": {"mean": null}, "3_C.py": {"mean": -Infinity}, "4_D.py": null,
                     "5_E.py": {"mean": 2.0, "std": NaN}}, "level2": null})");
  ASSERT_TRUE(baseline) << baseline.error().message;
  for (const char* name : {"1_A.py", "2_B.py", "3_C.py", "4_D.py"}) EXPECT_EQ(baseline->find(1, name), nullptr) << name;
  EXPECT_EQ(baseline->find(1, "5_E.py")->mean, 2.0);
}

TEST(ProblemsOf, AreTheBaselinesInOrder) {
  const auto baseline = parse_baseline(R"({"level1": {"10_A.py": null, "9_B": {"mean": 1}, "notes": null}})");
  ASSERT_TRUE(baseline);
  const auto problems = problems_of(*baseline, 1);
  ASSERT_EQ(problems.size(), 2U);
  EXPECT_EQ(problems[0].id, 9);
  EXPECT_EQ(problems[1].name, "level1/10_A.py");
  EXPECT_TRUE(problems_of(*baseline, 2).empty());
}

}  // namespace
}  // namespace autokernel::kernelbench
