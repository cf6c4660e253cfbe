#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include "tests/support/machine.hpp"
#include "tests/support/redis_server.hpp"
#include "tests/support/store_checker.hpp"
#include "tests/sweep/process_tree.hpp"
#include "tests/sweep/small_problems.hpp"

namespace autokernel::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr int kProblems = 150;
constexpr std::size_t kBeforeTheFault = 10;

/// Kills parts of a sweep in the middle. Client, coordinator, Redis and worker are the real ones; the runner pretends,
/// so that many jobs are in every phase when the fault comes.
class SweepFault : public ::testing::Test {
 protected:
  void SetUp() override {
    AUTOKERNEL_REQUIRE_REDIS_SERVER();
    place_.use_fake_runner();
    put_problems(place_, kProblems);
  }

  /// A sweep with some verdicts recorded and most of its work to do.
  system::ChildProcess sweep_in_the_middle() {
    system::ChildProcess sweep = place_.start(small_sweep());
    EXPECT_TRUE(wait_for_verdicts(results_, kBeforeTheFault, sweep)) << place_.errors();
    return sweep;
  }

  static void kill_child(const system::ChildProcess& sweep, const std::string& program) {
    const auto pid = child_running(sweep.pid(), program);
    ASSERT_TRUE(pid) << program << " does not run";
    ASSERT_EQ(::kill(*pid, SIGKILL), 0);
  }

  void expect_ends_well(system::ChildProcess& sweep, const std::string& note) {
    const auto status = sweep.wait(std::chrono::seconds(180));
    ASSERT_TRUE(status) << place_.errors();
    EXPECT_EQ(status->code, 0) << place_.errors();
    EXPECT_THAT(place_.errors(), HasSubstr(note));
  }

  /// Runs the same command again, whatever happened before, and looks at the files and into the store.
  void expect_complete_after_rerun() {
    const std::string before = place_.text_of("run/results.jsonl");
    const auto rerun = place_.call(small_sweep());
    ASSERT_EQ(rerun.status.code, 0) << rerun.errors;
    const auto verdicts = verdicts_in(results_);
    EXPECT_THAT(verdicts, SizeIs(kProblems));
    for (const auto& [identity, record] : verdicts) EXPECT_EQ(record.verdict, protocol::Verdict::kRobust) << identity;
    // A last line that was torn off is the only thing a rerun may take away.
    EXPECT_THAT(place_.text_of("run/results.jsonl"), StartsWith(before.substr(0, before.rfind('\n') + 1)));

    const RedisServer redis({"--dir", (place_ / "run/redis").string()});
    auto connection = redis.connect();
    CheckedRun run;
    run.queue = "run";
    const auto violations = check_store(connection, run);
    ASSERT_TRUE(violations) << violations.error().message;
    EXPECT_THAT(*violations, ElementsAre());
  }

  Workplace place_;
  const std::filesystem::path results_ = place_ / "run/results.jsonl";
};

TEST_F(SweepFault, AKilledWorkerIsReplacedWithinTheSweep) {
  system::ChildProcess sweep = sweep_in_the_middle();
  kill_child(sweep, "autokernel-worker");
  expect_ends_well(sweep, "autokernel-worker died (killed by SIGKILL");
  expect_complete_after_rerun();
}

TEST_F(SweepFault, AKilledCoordinatorIsReplacedWithinTheSweep) {
  system::ChildProcess sweep = sweep_in_the_middle();
  kill_child(sweep, "autokernel-coordinator");
  expect_ends_well(sweep, "autokernel-coordinator died (killed by SIGKILL");
  expect_complete_after_rerun();
}

TEST_F(SweepFault, AKilledRedisIsReplacedWithinTheSweep) {
  system::ChildProcess sweep = sweep_in_the_middle();
  kill_child(sweep, "redis-server");
  expect_ends_well(sweep, "redis-server died (killed by SIGKILL");
  expect_complete_after_rerun();
}

TEST_F(SweepFault, AKilledClientTakesAllWithItAndTheRerunGoesOn) {
  system::ChildProcess sweep = sweep_in_the_middle();
  const auto children = descendants(sweep.pid());
  sweep.send_signal(SIGKILL);
  ASSERT_TRUE(sweep.wait(std::chrono::seconds(10)));
  EXPECT_TRUE(all_gone(children));
  ASSERT_LT(verdicts_in(results_).size(), std::size_t{kProblems}) << "it ended before the fault";
  expect_complete_after_rerun();
}

TEST_F(SweepFault, AllKilledAtOnceAndTheRerunGoesOn) {
  system::ChildProcess sweep = sweep_in_the_middle();
  std::vector<pid_t> all = descendants(sweep.pid());
  all.push_back(sweep.pid());
  for (const pid_t pid : all) ::kill(pid, SIGKILL);
  ASSERT_TRUE(sweep.wait(std::chrono::seconds(10)));
  EXPECT_TRUE(all_gone(all));
  expect_complete_after_rerun();
}

TEST_F(SweepFault, AWorkerThatKeepsDyingEndsTheSweepAndTheRerunGoesOn) {
  system::ChildProcess sweep = sweep_in_the_middle();
  while (!sweep.poll()) {
    if (const auto worker = child_running(sweep.pid(), "autokernel-worker")) ::kill(*worker, SIGKILL);
  }
  EXPECT_EQ(sweep.poll()->code, 3);
  EXPECT_THAT(place_.errors(), HasSubstr("autokernel-worker died 4 times"));
  EXPECT_THAT(place_.errors(), HasSubstr("run the same command again to resume"));
  expect_complete_after_rerun();
}

}  // namespace
}  // namespace autokernel::test
