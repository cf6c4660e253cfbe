#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include "common/config/program.hpp"
#include "common/system/file.hpp"
#include "tests/support/temporary_folder.hpp"

namespace autokernel::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Sets a variable for one test.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) { ::setenv(name, value, 1); }
  ~Variable() { ::unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
};

class SettingsFileTest : public ::testing::Test {
 protected:
  SettingsFileTest() {
    Command& sweep = program.command("sweep", "evaluates", {});
    sweep.integer("trials", trials, {1, 100}, "trials");
    sweep.list("level", levels, "N", "levels");
    sweep.negated_flag("timing", timing, "no timing");
    Command& score = program.command("score", "scores", {});
    score.text("baseline", baseline, "FILE", "baseline");
  }
  ParseOutcome parse(const std::string& file, std::vector<std::string> arguments) {
    const std::string path = (folder_ / "settings.toml").string();
    EXPECT_TRUE(system::write_file(path, file));
    arguments.insert(arguments.end(), {"--config", path});
    return program.parse(arguments);
  }

  test::TemporaryFolder folder_;
  std::int64_t trials = 5;
  std::vector<std::string> levels;
  bool timing = true;
  std::string baseline;
  Program program{ProgramInfo{"autokernel", "evaluates kernels", {}}};
};

TEST_F(SettingsFileTest, TopLevelServesEveryCommandThatHasTheKey) {
  const auto outcome = parse("trials = 7\nbaseline = \"b.json\"\nlevel = [1, 2]\nno-timing = true\n", {"sweep"});
  ASSERT_TRUE(outcome.proceed) << outcome.error;
  EXPECT_EQ(trials, 7);
  EXPECT_THAT(levels, ElementsAre("1", "2"));
  EXPECT_FALSE(timing);
  EXPECT_EQ(baseline, "");
}

TEST_F(SettingsFileTest, ACommandsTableStandsBeforeTheTopLevel) {
  ASSERT_TRUE(parse("trials = 7\n[sweep]\ntrials = 8\n", {"sweep"}).proceed);
  EXPECT_EQ(trials, 8);
}

TEST_F(SettingsFileTest, TheCommandLineStandsBeforeTheFile) {
  ASSERT_TRUE(parse("trials = 7\n", {"sweep", "--trials", "9"}).proceed);
  EXPECT_EQ(trials, 9);
}

TEST_F(SettingsFileTest, AVariableStandsBeforeTheFileAndAfterTheCommandLine) {
  const Variable variable("AUTOKERNEL_TRIALS", "11");
  ASSERT_TRUE(parse("trials = 7\n", {"sweep"}).proceed);
  EXPECT_EQ(trials, 11);
}

TEST_F(SettingsFileTest, AVariableStandsAfterTheCommandLine) {
  const Variable variable("AUTOKERNEL_TRIALS", "11");
  ASSERT_TRUE(program.parse({"sweep", "--trials", "12"}).proceed);
  EXPECT_EQ(trials, 12);
}

TEST_F(SettingsFileTest, AFlagsVariableMayBeFalse) {
  const Variable variable("AUTOKERNEL_NO_TIMING", "false");
  ASSERT_TRUE(program.parse({"sweep"}).proceed);
  EXPECT_TRUE(timing);
}

TEST_F(SettingsFileTest, ABadVariableIsNamed) {
  const Variable variable("AUTOKERNEL_TRIALS", "many");
  const auto outcome = program.parse({"sweep"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.error, HasSubstr("--trials: 'many' is not a whole number (from AUTOKERNEL_TRIALS"));
}

TEST_F(SettingsFileTest, ATypoInTheFileNamesLineKeyAndTheNearest) {
  const auto outcome = parse("# mine\ntrails = 7\n", {"sweep"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.error, HasSubstr("settings.toml, line 2: unknown key 'trails'; did you mean trials?"));
}

TEST_F(SettingsFileTest, ATypoInATableNamesItsLine) {
  const auto outcome = parse("[swep]\ntrials = 7\n", {"sweep"});
  EXPECT_THAT(outcome.error, HasSubstr("line 1: unknown table 'swep'; did you mean sweep?"));
}

TEST_F(SettingsFileTest, ABadValueInTheFileNamesItsLine) {
  const auto outcome = parse("\ntrials = 0\n", {"sweep"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.error, HasSubstr("settings.toml, line 2: --trials: 0 is too small"));
}

TEST_F(SettingsFileTest, ABrokenFileNamesItsLine) {
  EXPECT_THAT(parse("trials = \n", {"sweep"}).error, HasSubstr("settings.toml, line 1"));
}

TEST_F(SettingsFileTest, ABrokenFileDoesNotStandBeforeHelp) {
  const auto outcome = parse("trials = \n", {"sweep", "--help"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.output, HasSubstr("--trials"));
}

TEST_F(SettingsFileTest, AFileThatIsNamedMustBeThere) {
  const auto outcome = program.parse({"sweep", "--config", (folder_ / "none.toml").string()});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.error, HasSubstr("--config: cannot read"));
}

TEST_F(SettingsFileTest, AWorkerReadsItsOwnTableOnly) {
  std::string cache;
  Program worker(ProgramInfo{"autokernel-worker", "works", {}});
  worker.options().text("cache", cache, "DIR", "cache");
  const std::string path = (folder_ / "settings.toml").string();
  ASSERT_TRUE(system::write_file(path, "trials = 7\n[sweep]\nlevel = 1\n[worker]\ncache = \"/c\"\n"));
  const auto outcome = worker.parse({"--config", path});
  ASSERT_TRUE(outcome.proceed) << outcome.error;
  EXPECT_EQ(cache, "/c");
}

}  // namespace
}  // namespace autokernel::config
