#include <gmock/gmock.h>

#include "kernelbench/export/json.hpp"
#include "kernelbench/export/scores_json.hpp"
#include "kernelbench/export/sheet_text.hpp"
#include "tests/unit/kernelbench/records.hpp"

namespace autokernel::kernelbench {
namespace {

using protocol::Value;
using protocol::Verdict;
using testing::AllOf;
using testing::AnyOf;
using testing::Each;
using testing::HasSubstr;
using testing::Not;

ScoreInput an_input() {
  ScoreInput input;
  for (int level : {1, 2}) {
    for (int id = 1; id <= 3; ++id) {
      input.problems.push_back({level, id, "level" + std::to_string(level) + "/" + std::to_string(id) + "_P.py"});
    }
  }
  ARecord vacuous(Verdict::kRobust, 1);
  vacuous.timed(200, 100).between(0.9, 2.2).record().vacuous = {"zeros"};
  vacuous.record().rule = "float64";
  for (const protocol::Record& record : {protocol::Record(vacuous), protocol::Record(ARecord(Verdict::kWrongOutput, 2)),
                                         protocol::Record(ARecord(Verdict::kProblemError, 3).detail("needs 80 GB")),
                                         protocol::Record(ARecord(Verdict::kCorrect, 1).at_level(2)),
                                         protocol::Record(ARecord(Verdict::kCorrect, 1, 1).at_level(2))}) {
    input.outcomes.push_back(outcome_of(record));
  }
  return input;
}

const Value& at(const Value& value, const std::vector<std::string>& path) {
  const Value* place = &value;
  for (const std::string& key : path) {
    place = place->find(key);
    if (place == nullptr) {
      ADD_FAILURE() << "no " << key;
      return value;
    }
  }
  return *place;
}

TEST(ScoresJson, SaysSharesWithWhatIsSureAndPossible) {
  const Value value = scores_value(score(an_input()));
  const Value& level = value.find("levels")->as<Value::Array>()->at(0);
  EXPECT_EQ(to_json(at(level, {"score", "correct", "fast_p", "1.0"})),
            R"({"value":0.3333333333333333,"sure":0.0,"possible":0.3333333333333333,"count":1})");
  EXPECT_EQ(to_json(at(level, {"vacuous"})), R"([{"problem":"level1/1_P.py","trivial_answers":"zeros"}])");
  EXPECT_EQ(at(level, {"decided_by_float64"}), Value(1));
  EXPECT_EQ(to_json(at(level, {"best_of_samples", "correct"})), "null");
}

TEST(ScoresJson, IsNullWhereSpeedIsNotKnown) {
  const Value value = scores_value(score(an_input()));
  const Value& level = value.find("levels")->as<Value::Array>()->at(1);
  EXPECT_TRUE(at(level, {"score", "correct", "fast_p", "0.0"}).is_nil());
  EXPECT_TRUE(at(level, {"score", "correct", "geomean"}).is_nil());
  EXPECT_TRUE(at(value, {"overall", "level"}).is_nil());
}

TEST(ScoresJson, IsNullForRobustWhereNobodyLooked) {
  ScoreInput input = an_input();
  input.robust_known = false;
  const Value value = scores_value(score(input));
  EXPECT_TRUE(at(value, {"overall", "robust"}).is_nil());
  EXPECT_TRUE(at(value, {"overall", "score", "robust"}).is_nil());
}

TEST(SheetText, NamesWhatAPersonMustKnow) {
  const std::string text = sheet_text(score(an_input()));
  EXPECT_THAT(text, AllOf(HasSubstr("Verdicts: 2 correct"), HasSubstr("level1/1_P.py (zeros)"),
                          HasSubstr("float64 rule"), HasSubstr("level1/3_P.py (needs 80 GB)"),
                          HasSubstr("Correct but not timed"), HasSubstr("best of 2")));
  EXPECT_THAT(text, AllOf(HasSubstr("between 0.000 and"), HasSubstr("pass@1")));
}

TEST(SheetText, NeedsNoColourAndFitsItsWidth) {
  const std::string text = sheet_text(score(an_input()));
  EXPECT_THAT(text, Not(HasSubstr("\033")));
  EXPECT_THAT(sheet_text(score(an_input()), true), HasSubstr("\033[1m"));
  std::vector<std::size_t> widths;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = text.find('\n', start);
    widths.push_back(end - start);
    start = end + 1;
  }
  EXPECT_THAT(widths, Each(testing::Le(100U)));
}

TEST(SheetText, HasNoZeroForWhatWasNotAskedFor) {
  ScoreInput input = an_input();
  input.robust_asked = false;
  const ScoreSheet sheet = score(input);
  EXPECT_THAT(sheet_text(sheet), AllOf(HasSubstr("       robust                -      -      -"),
                                       HasSubstr("was not asked for (--stages correct)")));
  EXPECT_TRUE(at(scores_value(sheet), {"overall", "score", "robust"}).is_nil());

  ScoreInput untimed;
  untimed.problems = an_input().problems;
  EXPECT_THAT(sheet_text(score(untimed)), HasSubstr("0.000"));
  untimed.timing_asked = false;
  EXPECT_THAT(sheet_text(score(untimed)), AllOf(Not(HasSubstr("0.000")), HasSubstr("Nothing was timed")));
}

TEST(SheetText, CutsALongReasonAtAWord) {
  ScoreInput input = an_input();
  for (Outcome& outcome : input.outcomes) {
    outcome.detail =
        "needs a device that has much more memory than any of the devices which are here now, and then some more of it "
        "for all that follows";
  }
  EXPECT_THAT(sheet_text(score(input)), HasSubstr("all…)"));
}

TEST(SheetText, CountsOneProblemInTheSingular) {
  ScoreInput input;
  input.problems = {{1, 1, "level1/1_P.py"}};
  EXPECT_THAT(sheet_text(score(input)), HasSubstr("1 problem, 0 evaluated"));
}

TEST(SheetText, PrintsNoEscapeOfSomebodyElse) {
  ScoreInput input = an_input();
  input.problems[0].name += "\x1b[31m";
  for (Outcome& outcome : input.outcomes) {
    outcome.verdict += "\x1b[2J";
    outcome.detail += "\x1b]0;owned\x07";
  }
  EXPECT_THAT(sheet_text(score(input)), Not(AnyOf(HasSubstr("\x1b"), HasSubstr("\x07"))));
}

TEST(SheetText, CutsLongListsAndStandsEmptyInput) {
  ScoreInput input;
  EXPECT_THAT(sheet_text(score(input)), HasSubstr("none yet"));
  for (int id = 1; id <= 40; ++id) input.problems.push_back({1, id, "level1/" + std::to_string(id) + "_P.py"});
  EXPECT_THAT(sheet_text(score(input)), HasSubstr("and 28 more in scores.json"));
}

}  // namespace
}  // namespace autokernel::kernelbench
