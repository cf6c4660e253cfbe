#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/machine.hpp"
#include "tests/sweep/small_problems.hpp"

namespace autokernel::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class Resume : public ::testing::Test {
 protected:
  void SetUp() override {
    AUTOKERNEL_REQUIRE_REDIS_SERVER();
    place_.use_fake_runner();
    put_problems(place_, 3);
  }
  Workplace place_;
};

TEST_F(Resume, AFinishedRunIsOnlyScoredAgain) {
  const auto first = place_.call(small_sweep());
  ASSERT_EQ(first.status.code, 0) << first.errors;
  const std::string results = place_.text_of("run/results.jsonl");
  const auto second = place_.call(small_sweep());
  EXPECT_EQ(second.status.code, 0) << second.errors;
  EXPECT_THAT(second.errors, HasSubstr("run holds 3 of 3 verdicts"));
  EXPECT_EQ(place_.text_of("run/results.jsonl"), results);
}

/// What the client lost and the store kept is recorded again, not evaluated again: the judge's process id is the
/// witness.
TEST_F(Resume, TakesLostResultsFromTheStore) {
  ASSERT_EQ(place_.call(small_sweep()).status.code, 0);
  const auto before = verdicts_in(place_ / "run/results.jsonl");
  fs::remove(place_ / "run/results.jsonl");
  fs::remove(place_ / "run/scores.json");
  ASSERT_EQ(place_.call(small_sweep()).status.code, 0);
  const auto after = verdicts_in(place_ / "run/results.jsonl");
  ASSERT_THAT(after, SizeIs(before.size()));
  for (const auto& [identity, record] : before) {
    EXPECT_EQ(after.at(identity).environment.at("judge"), record.environment.at("judge")) << identity;
  }
}

TEST_F(Resume, WithoutOutItFindsTheUnfinishedRun) {
  const std::vector<std::string> command{"sweep", "--problems", "problems", "--candidates", "candidates", "--devices",
                                         "cpu",   "--samples",  "20"};
  ASSERT_EQ(place_.call(command).status.code, 0);
  const auto run = fs::directory_iterator(place_ / "runs")->path();
  fs::remove(run / "scores.json");
  const auto resumed = place_.call(command);
  EXPECT_EQ(resumed.status.code, 0);
  EXPECT_THAT(resumed.errors, HasSubstr("resuming runs/" + run.filename().string()));
  EXPECT_EQ(std::distance(fs::directory_iterator(place_ / "runs"), fs::directory_iterator()), 1);
}

TEST_F(Resume, WithoutOutAFinishedRunIsLeftAlone) {
  const std::vector<std::string> command{"sweep", "--problems", "problems", "--candidates", "candidates", "--devices",
                                         "cpu",   "--samples",  "20"};
  ASSERT_EQ(place_.call(command).status.code, 0);
  ASSERT_EQ(place_.call(command).status.code, 0);
  EXPECT_EQ(std::distance(fs::directory_iterator(place_ / "runs"), fs::directory_iterator()), 2);
}

TEST_F(Resume, WhatTheMachineFailedAtIsTriedAgain) {
  place_.put("candidates/" + candidate_file(2), "# LATE JUDGE DEATH\n" + std::string(kSmallCandidate));
  const auto lines = [&] {
    const std::string text = place_.text_of("run/results.jsonl");
    return std::count(text.begin(), text.end(), '\n');
  };
  ASSERT_EQ(place_.call(small_sweep()).status.code, 0);
  ASSERT_EQ(lines(), 3);
  const auto second = place_.call(small_sweep());
  EXPECT_EQ(second.status.code, 0) << second.errors;
  EXPECT_THAT(second.errors, HasSubstr("run holds 2 of 3 verdicts"));
  EXPECT_EQ(lines(), 4) << "the store gave it another life, which ended the same way";
  EXPECT_THAT(place_.call({"status", "run"}).output, HasSubstr("3 of 3 verdicts: robust 2, infrastructure 1"));
}

}  // namespace
}  // namespace autokernel::test
