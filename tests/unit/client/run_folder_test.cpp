#include "client/run_folder/run_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <limits>

#include "tests/support/temporary_folder.hpp"
#include "tests/unit/client/some_record.hpp"

namespace autokernel::client {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class RunFolderTest : public ::testing::Test {
 protected:
  RunFolderTest() { description_.problem_digests = {{"level1/19_ReLU.py", "aa"}}; }
  test::TemporaryFolder folder_;
  fs::path run_ = folder_ / "run";
  RunDescription description_;
};

TEST_F(RunFolderTest, CreatesWhatARunNeeds) {
  const auto run = RunFolder::open(run_, description_);
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_FALSE(run->resumed());
  EXPECT_TRUE(fs::is_regular_file(run_ / "run.toml"));
  EXPECT_TRUE(fs::is_directory(run_ / "redis"));
  EXPECT_TRUE(fs::is_directory(run_ / "logs"));
}

TEST_F(RunFolderTest, ResumesARunOfTheSameDescription) {
  ASSERT_TRUE(RunFolder::open(run_, description_)->results().append(some_record("level1/19_ReLU.py", "a.py")));
  const auto run = RunFolder::open(run_, description_);
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_TRUE(run->resumed());
  EXPECT_TRUE(run->results().holds(identity_of("level1/19_ReLU.py", "a.py")));
}

TEST_F(RunFolderTest, RefusesOtherOptionsAndListsThem) {
  ASSERT_TRUE(RunFolder::open(run_, description_));
  description_.options.trials = 9;
  const auto run = RunFolder::open(run_, description_);
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().code, Code::kInvalid);
  EXPECT_THAT(run.error().message, HasSubstr("trials: 5 then, 9 now"));
}

TEST_F(RunFolderTest, RefusingLeavesEarlierResultsUntouched) {
  ASSERT_TRUE(RunFolder::open(run_, description_)->results().append(some_record("level1/19_ReLU.py", "a.py")));
  RunDescription other = description_;
  other.options.trials = 9;
  ASSERT_FALSE(RunFolder::open(run_, other));
  EXPECT_TRUE(RunFolder::open(run_, description_)->results().holds(identity_of("level1/19_ReLU.py", "a.py")));
}

TEST_F(RunFolderTest, RefusesARunOfANewerVersion) {
  fs::create_directories(run_);
  ASSERT_TRUE(system::write_file(run_ / "run.toml", "schema = 7\n"));
  const auto run = RunFolder::open(run_, description_);
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().code, Code::kInvalid);
  EXPECT_THAT(run.error().message, HasSubstr("newer autokernel (schema 7"));
  for (const char* name : {"lock", "logs", "redis", "results.jsonl"}) EXPECT_FALSE(fs::exists(run_ / name)) << name;
}

TEST_F(RunFolderTest, RefusesASecondOwnerAndNamesTheFirst) {
  const auto first = RunFolder::open(run_, description_);
  ASSERT_TRUE(first);
  const auto second = RunFolder::open(run_, description_);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, Code::kUnavailable);
  EXPECT_THAT(second.error().message,
              HasSubstr(fmt::format("'{}' is in use by another autokernel (process {})", run_.string(), ::getpid())));
}

TEST_F(RunFolderTest, RefusesAFolderOfSomethingElse) {
  fs::create_directories(run_);
  ASSERT_TRUE(system::write_file(run_ / "thesis.tex", "x"));
  const auto run = RunFolder::open(run_, description_);
  ASSERT_FALSE(run);
  EXPECT_THAT(run.error().message, HasSubstr("holds 'thesis.tex' but no run.toml"));
  EXPECT_FALSE(fs::exists(run_ / "lock"));
}

TEST_F(RunFolderTest, TakesAFolderThatACrashLeftBeforeItsDescription) {
  fs::create_directories(run_ / "logs");
  ASSERT_TRUE(system::write_file(run_ / "lock", ""));
  EXPECT_TRUE(RunFolder::open(run_, description_));
}

TEST_F(RunFolderTest, FindsTheNewestUnfinishedRunOfTheSameDescription) {
  for (const char* name : {"2026-01-01T00-00-00Z", "2026-01-02T00-00-00Z", "2026-01-03T00-00-00Z"}) {
    ASSERT_TRUE(RunFolder::open(folder_ / name, description_));
  }
  ASSERT_TRUE(system::write_file(folder_ / "2026-01-03T00-00-00Z" / "scores.json", "{}"));
  EXPECT_EQ(find_unfinished(folder_.path(), description_), folder_ / "2026-01-02T00-00-00Z");
  description_.options.trials = 9;
  EXPECT_EQ(find_unfinished(folder_.path(), description_), std::nullopt);
}

TEST_F(RunFolderTest, ARunThatTheMachineFailedInIsUnfinished) {
  const fs::path folder = folder_ / "2026-01-01T00-00-00Z";
  const auto append = [&](protocol::Verdict verdict) {
    ASSERT_TRUE(
        RunFolder::open(folder, description_)->results().append(some_record("level1/19_ReLU.py", "a", verdict)));
  };
  append(protocol::Verdict::kInfrastructure);
  ASSERT_TRUE(system::write_file(folder / "scores.json", "{}"));
  EXPECT_EQ(find_unfinished(folder_.path(), description_), folder);
  append(protocol::Verdict::kRobust);
  EXPECT_EQ(find_unfinished(folder_.path(), description_), std::nullopt);
}

TEST_F(RunFolderTest, AFreshFolderIsNamedByTimeAndNeverExists) {
  EXPECT_EQ(fresh_folder(folder_.path(), "2026-01-02T03:04:05Z"), folder_ / "2026-01-02T03-04-05Z");
  fs::create_directories(folder_ / "2026-01-02T03-04-05Z");
  EXPECT_EQ(fresh_folder(folder_.path(), "2026-01-02T03:04:05Z"), folder_ / "2026-01-02T03-04-05Z-2");
}

TEST_F(RunFolderTest, SaysHowMuchDiskIsMissing) {
  const auto checked = check_free_disk(run_, std::numeric_limits<std::uint64_t>::max());
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().code, Code::kExhausted);
  EXPECT_THAT(checked.error().message, HasSubstr(run_.string()));
  EXPECT_TRUE(check_free_disk(run_, 1));
}

}  // namespace
}  // namespace autokernel::client
