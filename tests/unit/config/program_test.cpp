#include "common/config/program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "common/config/version.hpp"
#include "common/protocol/options.hpp"

namespace autokernel::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// A program with two commands, as `autokernel` has them.
class ProgramTest : public ::testing::Test {
 protected:
  ProgramTest() {
    Command& sweep = program.command("sweep", "evaluates", {"autokernel sweep --level 1"});
    sweep.text("problems", problems, "DIR", "where the problems are");
    sweep.list("level", levels, "N", "levels");
    sweep.integer("trials", trials, {1, 100}, "trials");
    sweep.number("timeout", timeout, 1, "seconds");
    sweep.choice("precision", precision, "precision");
    sweep.negated_flag("timing", timing, "no timing");
    sweep.flag("json", json, "json");
    Command& eval = program.command("eval", "one verdict", {});
    eval.argument("PROBLEM", problem, "a problem");
    eval.argument("CANDIDATE", candidate, "a candidate");
    eval.choice("precision", precision, "precision");
  }

  std::string problems = "samples";
  std::vector<std::string> levels;
  std::int64_t trials = 5;
  double timeout = 180;
  protocol::Precision precision = protocol::Precision::kFp32;
  bool timing = true;
  bool json = false;
  std::string problem;
  std::string candidate;
  Program program{ProgramInfo{"autokernel", "evaluates kernels", {"autokernel sweep"}}};
};

TEST_F(ProgramTest, StoresWhatTheCommandLineSays) {
  const auto outcome = program.parse({"sweep", "--problems", "here", "--level", "1", "2", "--trials=7", "--precision",
                                      "bf16", "--no-timing", "--json"});
  ASSERT_TRUE(outcome.proceed) << outcome.error;
  EXPECT_EQ(program.chosen(), "sweep");
  EXPECT_EQ(problems, "here");
  EXPECT_THAT(levels, ElementsAre("1", "2"));
  EXPECT_EQ(trials, 7);
  EXPECT_EQ(precision, protocol::Precision::kBf16);
  EXPECT_FALSE(timing);
  EXPECT_TRUE(json);
}

TEST_F(ProgramTest, KeepsDefaultsThatNothingSets) {
  ASSERT_TRUE(program.parse({"sweep"}).proceed);
  EXPECT_EQ(problems, "samples");
  EXPECT_EQ(trials, 5);
  EXPECT_TRUE(timing);
}

TEST_F(ProgramTest, SplitsListsAtCommas) {
  ASSERT_TRUE(program.parse({"sweep", "--level", "1,3"}).proceed);
  EXPECT_THAT(levels, ElementsAre("1", "3"));
}

TEST_F(ProgramTest, TheLastOfARepeatedOptionWins) {
  ASSERT_TRUE(program.parse({"sweep", "--trials", "2", "--trials", "9"}).proceed);
  EXPECT_EQ(trials, 9);
}

TEST_F(ProgramTest, RefusesAnUnknownOptionWithTheNearest) {
  const auto outcome = program.parse({"sweep", "--porblems", "here"});
  EXPECT_FALSE(outcome.proceed);
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.error, StartsWith("autokernel sweep: unknown option --porblems; did you mean --problems?\n"));
}

TEST_F(ProgramTest, ATypoIsReportedBeforeWhatFollowsFromIt) {
  const auto outcome = program.parse({"eval", "--precison", "fp16", "a.py"});
  EXPECT_THAT(outcome.error, HasSubstr("unknown option --precison; did you mean --precision?"));
}

TEST_F(ProgramTest, RefusesAnUnknownValueWithTheNearest) {
  const auto outcome = program.parse({"sweep", "--precision", "fp61"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.error,
              HasSubstr("--precision: unknown value 'fp61'; did you mean fp16? (known: fp32, fp16, bf16)"));
}

TEST_F(ProgramTest, RefusesAnUnknownCommandWithTheNearest) {
  const auto outcome = program.parse({"swep", "--level", "1"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.error, HasSubstr("unknown command 'swep'; did you mean sweep?"));
}

TEST_F(ProgramTest, RefusesNumbersOutOfRangeAndNoNumbers) {
  EXPECT_THAT(program.parse({"sweep", "--trials", "0"}).error, HasSubstr("--trials: 0 is too small: at least 1"));
}

TEST_F(ProgramTest, RefusesATextWhereANumberBelongs) {
  EXPECT_THAT(program.parse({"sweep", "--timeout", "soon"}).error, HasSubstr("--timeout: 'soon' is not a number"));
}

TEST_F(ProgramTest, SaysWhichOptionLacksItsValue) {
  EXPECT_THAT(program.parse({"sweep", "--trials"}).error, HasSubstr("--trials needs a value"));
}

TEST_F(ProgramTest, SaysWhichArgumentIsMissing) {
  const auto outcome = program.parse({"eval", "a.py"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.error, HasSubstr("CANDIDATE is required"));
}

TEST_F(ProgramTest, RefusesAnArgumentTooMany) {
  EXPECT_THAT(program.parse({"eval", "a.py", "b.py", "c.py"}).error, HasSubstr("unexpected argument 'c.py'"));
}

TEST_F(ProgramTest, HelpListsCommandsAndExamples) {
  const auto outcome = program.parse({"--help"});
  EXPECT_FALSE(outcome.proceed);
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.output, HasSubstr("sweep"));
  EXPECT_THAT(outcome.output, HasSubstr("Examples:\n  autokernel sweep"));
}

TEST_F(ProgramTest, HelpOfACommandHasItsOwnOptionsAndExamples) {
  const auto outcome = program.parse({"sweep", "--help"});
  EXPECT_THAT(outcome.output, HasSubstr("--problems"));
  EXPECT_THAT(outcome.output, HasSubstr("autokernel sweep --level 1"));
  EXPECT_THAT(outcome.output, ::testing::Not(HasSubstr("CANDIDATE")));
}

TEST_F(ProgramTest, VersionNamesProgramAndVersion) {
  EXPECT_EQ(program.parse({"--version"}).output, "autokernel " + std::string(version()) + "\n");
}

TEST_F(ProgramTest, NoCommandAtAllIsTheCallersToAnswer) {
  EXPECT_TRUE(program.parse({}).proceed);
  EXPECT_EQ(program.chosen(), "");
}

TEST_F(ProgramTest, WarnsOfAVariableThatNothingReads) {
  ::setenv("AUTOKERNEL_PRECISOIN", "fp16", 1);
  const auto outcome = program.parse({"sweep"});
  ::unsetenv("AUTOKERNEL_PRECISOIN");
  EXPECT_TRUE(outcome.proceed);
  EXPECT_THAT(outcome.warnings, ::testing::Contains(HasSubstr("did you mean AUTOKERNEL_PRECISION?")));
}

TEST_F(ProgramTest, KnowsTheVariablesOfAllItsCommands) {
  ::setenv("AUTOKERNEL_NO_TIMING", "1", 1);
  const auto outcome = program.parse({"eval", "a.py", "b.py"});
  ::unsetenv("AUTOKERNEL_NO_TIMING");
  EXPECT_THAT(outcome.warnings, ::testing::Not(::testing::Contains(HasSubstr("NO_TIMING"))));
}

TEST(PlainProgram, HasOptionsWithoutCommands) {
  std::string connect;
  std::string id = "node";
  Program program(ProgramInfo{"autokernel-worker", "works", {}});
  program.options().text("connect", connect, "ENDPOINT", "coordinator");
  program.options().text("id", id, "NAME", "name");
  const auto outcome = program.parse({"--connect", "ipc:///tmp/x"});
  ASSERT_TRUE(outcome.proceed) << outcome.error;
  EXPECT_EQ(connect, "ipc:///tmp/x");
}

TEST(PlainProgram, RefusesAnArgumentThatIsNoOption) {
  Program program(ProgramInfo{"autokernel-worker", "works", {}});
  EXPECT_THAT(program.parse({"now"}).error, StartsWith("autokernel-worker: unexpected argument 'now'"));
}

}  // namespace
}  // namespace autokernel::config
