#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include "tests/support/machine.hpp"
#include "tests/sweep/process_tree.hpp"
#include "tests/sweep/small_problems.hpp"

namespace autokernel::test {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr int kProblems = 200;

class Interrupt : public ::testing::Test {
 protected:
  void SetUp() override {
    AUTOKERNEL_REQUIRE_REDIS_SERVER();
    place_.use_fake_runner();
    put_problems(place_, kProblems);
  }
  Workplace place_;
};

TEST_F(Interrupt, CtrlCStopsEverythingAndSaysHowToGoOn) {
  system::ChildProcess sweep = place_.start(small_sweep());
  ASSERT_TRUE(wait_for_verdicts(place_ / "run/results.jsonl", 3, sweep));
  const auto children = descendants(sweep.pid());
  EXPECT_THAT(children, ::testing::Not(::testing::IsEmpty()));
  sweep.send_signal(SIGINT);
  const auto status = sweep.wait(std::chrono::seconds(30));
  ASSERT_TRUE(status);
  EXPECT_EQ(status->code, 130);
  EXPECT_THAT(place_.errors(), HasSubstr("run the same command again to resume"));
  EXPECT_TRUE(all_gone(children));
  EXPECT_FALSE(std::filesystem::exists(place_ / "run/endpoint"));

  const std::string before = place_.text_of("run/results.jsonl");
  ASSERT_LT(verdicts_in(place_ / "run/results.jsonl").size(), std::size_t{kProblems})
      << "it ended before the interrupt";
  const auto resumed = place_.call(small_sweep());
  EXPECT_EQ(resumed.status.code, 0) << resumed.errors;
  EXPECT_THAT(verdicts_in(place_ / "run/results.jsonl"), SizeIs(kProblems));
  EXPECT_THAT(place_.text_of("run/results.jsonl"), StartsWith(before));
}

TEST_F(Interrupt, ASecondCtrlCEndsItAtOnceAndLeavesNobodyBehind) {
  system::ChildProcess sweep = place_.start(small_sweep());
  ASSERT_TRUE(wait_for_verdicts(place_ / "run/results.jsonl", 3, sweep));
  const auto children = descendants(sweep.pid());
  sweep.send_signal(SIGINT);
  sweep.send_signal(SIGTERM);
  const auto status = sweep.wait(std::chrono::seconds(30));
  ASSERT_TRUE(status);
  EXPECT_EQ(status->code, 130);
  EXPECT_TRUE(all_gone(children));
}

}  // namespace
}  // namespace autokernel::test
