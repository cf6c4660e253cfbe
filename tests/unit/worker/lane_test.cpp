#include "worker/lane/lane.hpp"

#include <gmock/gmock.h>
#include <signal.h>

#include "fake_node.hpp"
#include "worker/lane/candidate_ending.hpp"
#include "worker/lane/record_completion.hpp"

namespace autokernel::lane {
namespace {

using namespace std::chrono_literals;
using protocol::StageName;
using protocol::StageOutcome;
using protocol::Verdict;
using testing::HasSubstr;

/// Collects what one lane tells, and lets the test wait for it.
class Listener final : public LaneListener {
 public:
  void lane_began(const LaneJob&) override {}
  void stage_ended(const LaneJob&, const protocol::StageReport& stage) override { stages.push_back(stage); }
  void lane_finished(const LaneJob&, protocol::Record record) override { add(std::move(record)); }
  void lane_dropped(const LaneJob&) override { add(std::nullopt); }

  std::optional<protocol::Record> next() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !ended_.empty(); });
    auto record = std::move(ended_.front());
    ended_.pop_front();
    return record;
  }

  std::vector<protocol::StageReport> stages;

 private:
  void add(std::optional<protocol::Record> record) {
    {
      const std::lock_guard lock(mutex_);
      ended_.push_back(std::move(record));
    }
    changed_.notify_all();
  }
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::optional<protocol::Record>> ended_;
};

class LaneTest : public testing::Test {
 protected:
  LaneTest() : lane_(std::make_unique<Lane>(node_.lane_resources(), queue_, listener_, nullptr)) {}
  ~LaneTest() override { queue_.close(); }

  protocol::Record run(const std::string& candidate, const std::string& problem = "PROBLEM") {
    queue_.push(test::a_lane_job(node_, test::a_dispatch(++number_, candidate, problem)));
    auto record = listener_.next();
    AUTOKERNEL_CHECK(record.has_value());
    return *record;
  }

  test::FakeNode node_;
  ReadyQueue queue_;
  Listener listener_;
  std::uint64_t number_ = 0;
  std::unique_ptr<Lane> lane_;  // last: gone before what it uses
};

TEST_F(LaneTest, TurnsAJobIntoAFullRecord) {
  const auto record = run("OK");
  EXPECT_EQ(record.verdict, Verdict::kRobust);
  EXPECT_EQ(record.problem, "level1/19_ReLU.py");
  EXPECT_EQ(record.candidate, "level_1_problem_19_sample_0_kernel.py");
  EXPECT_EQ(record.attempt, 2);
  EXPECT_EQ(record.environment.at("torch"), "2.11.0");
  EXPECT_EQ(record.environment.at("evaluator"), "e1");
  EXPECT_EQ(record.environment.at("device"), "a made-up CPU");
  EXPECT_EQ(record.environment.at("tolerance"), "0.0001") << "the rule table's number went to the judge";
  EXPECT_FALSE(record.digests.problem.empty());
  EXPECT_FALSE(record.digests.candidate.empty());
  EXPECT_EQ(record.stages.size(), 7U);
  EXPECT_EQ(record.stages[0].name, StageName::kBuild);
  EXPECT_EQ(record.stages[0].outcome, StageOutcome::kSkipped);
  EXPECT_EQ(record.stages[1].outcome, StageOutcome::kPassed);
  EXPECT_EQ(record.stages[2].outcome, StageOutcome::kNotReached);
  for (const char* phase : {"queue_wait", "judge_prepare", "candidate_start", "smoke", "teardown"}) {
    EXPECT_TRUE(record.phases.contains(phase)) << phase;
  }
  ASSERT_EQ(listener_.stages.size(), 1U);
}

TEST_F(LaneTest, KeepsTheJudgeForTheNextCandidateOfTheProblem) {
  const auto first = run("OK");
  EXPECT_EQ(lane_->warm_problem(), "level1/19_ReLU.py");
  const auto second = run("OK TOO");
  EXPECT_EQ(first.environment.at("judge"), second.environment.at("judge"));
  const auto other = run("OK", "ANOTHER PROBLEM");
  EXPECT_NE(first.environment.at("judge"), other.environment.at("judge"));
}

TEST_F(LaneTest, DoesNotUseASpentJudgeAgain) {
  const auto first = run("OK", "JUDGE SPENT");
  const auto second = run("OK", "JUDGE SPENT");
  EXPECT_NE(first.environment.at("judge"), second.environment.at("judge"));
}

TEST_F(LaneTest, GivesAFreshProcessWhenTheJudgeAsks) {
  const auto record = run("AGAIN");
  EXPECT_EQ(record.verdict, Verdict::kRobust);
  EXPECT_EQ(record.environment.at("round"), "2");
}

TEST_F(LaneTest, NamesTheSignalThatEndedTheCandidateAndShowsItsLastWords) {
  const auto record = run("CRASH");
  EXPECT_EQ(record.verdict, Verdict::kCrashed);
  EXPECT_THAT(record.detail, HasSubstr("killed by SIGSEGV"));
  EXPECT_THAT(record.detail, HasSubstr("while it was loaded"));
  EXPECT_THAT(record.detail, HasSubstr("loading as"));
}

TEST_F(LaneTest, NamesTheExitCodeOfACandidateThatLeft) {
  const auto record = run("EXIT 3");
  EXPECT_EQ(record.verdict, Verdict::kCrashed);
  EXPECT_THAT(record.detail, HasSubstr("exit code 3"));
}

TEST_F(LaneTest, CallsAnUncaughtFailedAllocationOutOfMemory) { EXPECT_EQ(run("ABORT").verdict, Verdict::kOutOfMemory); }

TEST_F(LaneTest, BlamesTheProblemWhenItsReferenceFails) {
  const auto record = run("OK", "BAD PROBLEM");
  EXPECT_EQ(record.verdict, Verdict::kProblemError);
  EXPECT_THAT(record.detail, HasSubstr("NameError"));
  EXPECT_EQ(record.stages[1].outcome, StageOutcome::kNotReached);
}

TEST_F(LaneTest, BlamesTheProblemWhenLoadingItCrashes) {
  const auto record = run("OK", "JUDGE CRASH");
  EXPECT_EQ(record.verdict, Verdict::kProblemError);
  EXPECT_THAT(record.detail, HasSubstr("SIGSEGV"));
}

TEST_F(LaneTest, BlamesItselfWhenTheJudgeJustLeaves) {
  const auto record = run("OK", "JUDGE EXIT");
  EXPECT_EQ(record.verdict, Verdict::kInfrastructure);
  EXPECT_THAT(record.detail, HasSubstr("exit code 4"));
}

TEST_F(LaneTest, BlamesItselfWhenTheJudgeDiesOverACandidateAndGoesOn) {
  EXPECT_EQ(run("LATE JUDGE DEATH").verdict, Verdict::kInfrastructure);
  EXPECT_EQ(run("OK").verdict, Verdict::kRobust);
}

TEST_F(LaneTest, RefusesRulesThatNobodyKnows) {
  auto dispatch = test::a_dispatch(1, "OK");
  dispatch.spec.options.rules = "v9";
  queue_.push(test::a_lane_job(node_, dispatch));
  const auto record = listener_.next();
  ASSERT_TRUE(record);
  EXPECT_EQ(record->verdict, Verdict::kInfrastructure);
  EXPECT_THAT(record->detail, HasSubstr("v9"));
}

TEST_F(LaneTest, TimesTheReferenceAloneForABaseline) {
  auto dispatch = test::a_dispatch(1, "");
  dispatch.spec.kind = protocol::JobKind::kBaseline;
  dispatch.spec.candidate = {};
  queue_.push(test::a_lane_job(node_, dispatch));
  const auto record = listener_.next();
  ASSERT_TRUE(record);
  EXPECT_EQ(record->verdict, Verdict::kTimed);
  EXPECT_EQ(record->kind, protocol::JobKind::kBaseline);
  ASSERT_EQ(record->stages.size(), 1U);
}

TEST_F(LaneTest, ACancelledJobEndsAtOnceAndTheNextOneRuns) {
  auto job = test::a_lane_job(node_, test::a_dispatch(1, "HANG"));
  const auto cancellation = job.cancellation;
  queue_.push(std::move(job));
  cancellation->cancel();
  EXPECT_FALSE(listener_.next());
  EXPECT_EQ(run("OK").verdict, Verdict::kRobust);
}

TEST_F(LaneTest, StopsAJobAtTheLimitThatItsDispatchNames) {
  auto dispatch = test::a_dispatch(1, "HANG");
  run("OK");  // the judge is warm: only the candidate takes time
  dispatch.max_runtime_ms = 1;
  queue_.push(test::a_lane_job(node_, dispatch));
  const auto record = listener_.next();
  ASSERT_TRUE(record);
  EXPECT_EQ(record->verdict, Verdict::kTimeout);
  EXPECT_THAT(record->detail, HasSubstr("--timeout"));
  EXPECT_EQ(run("OK").verdict, Verdict::kRobust);
}

TEST_F(LaneTest, RemovesTheFoldersOfItsCandidates) {
  run("OK");
  for (const auto& entry : std::filesystem::directory_iterator(node_.folder.path() / "lane")) {
    EXPECT_FALSE(entry.path().filename().string().starts_with("candidate")) << entry.path();
  }
}

TEST(JudgeSession, GivesUpOnAProblemThatNeverLoads) {
  const test::FakeNode node;
  const auto session = JudgeSession::spawn(node.lane_resources());
  ASSERT_TRUE(session);
  ASSERT_TRUE((*session)->await_device(60s));
  ASSERT_TRUE((*session)->begin_preparing(test::a_dispatch(1, "OK", "JUDGE HANG").spec));
  const auto prepared = (*session)->await_prepared(0ms);
  ASSERT_FALSE(prepared);
  EXPECT_EQ(prepared.error().verdict, Verdict::kProblemError);
  EXPECT_THAT(prepared.error().detail, HasSubstr("exceeded 0 s"));
}

TEST(Lane, KeepsTheNextProblemsJudgeReadyOnAGpuOnly) {
  for (const auto kind : {protocol::DeviceKind::kCuda, protocol::DeviceKind::kCpu}) {
    const test::FakeNode node;
    ReadyQueue queue;
    Listener listener;
    auto resources = node.lane_resources();
    resources.device.kind = kind;
    Lane lane(resources, queue, listener, nullptr);
    for (std::uint64_t number = 1; number <= 3; ++number) {
      queue.push(test::a_lane_job(node, test::a_dispatch(number, "OK", fmt::format("PROBLEM {}", number))));
      EXPECT_EQ(listener.next()->verdict, Verdict::kRobust);
    }
    std::ptrdiff_t judges = 0;
    for (const auto& entry : std::filesystem::directory_iterator(node.folder.path() / "lane")) {
      judges += entry.path().filename().string().starts_with("judge") ? 1 : 0;
    }
    EXPECT_EQ(judges, kind == protocol::DeviceKind::kCpu ? 1 : 2);
    queue.close();
  }
}

TEST(ReadyQueue, PrefersTheProblemWhoseJudgeIsWarmButNotForEver) {
  const test::FakeNode node;
  ReadyQueue queue;
  queue.push(test::a_lane_job(node, test::a_dispatch(1, "", "COLD")));
  for (std::uint64_t number = 2; number < 40; ++number) {
    queue.push(test::a_lane_job(node, test::a_dispatch(number, "", "WARM")));
  }
  const std::string warm = judge_key_of(test::a_dispatch(0, "", "WARM").spec);
  EXPECT_EQ(queue.take(protocol::DeviceKind::kCpu, warm)->dispatch.token.number, 2U);
  int taken = 1;
  while (queue.take(protocol::DeviceKind::kCpu, warm)->dispatch.token.number != 1) ++taken;
  EXPECT_EQ(taken, ReadyQueue::kMaxPasses);
}

TEST(ReadyQueue, LeavesJobsOfAnotherDeviceAlone) {
  const test::FakeNode node;
  ReadyQueue queue;
  auto dispatch = test::a_dispatch(1, "");
  dispatch.spec.candidate.needs = protocol::DeviceKind::kCuda;
  queue.push(test::a_lane_job(node, dispatch));
  queue.push(test::a_lane_job(node, test::a_dispatch(2, "")));
  EXPECT_EQ(queue.take(protocol::DeviceKind::kCpu, "")->dispatch.token.number, 2U);
  EXPECT_TRUE(queue.remove(LeaseToken{Epoch{1}, 1}));
  EXPECT_FALSE(queue.remove(LeaseToken{Epoch{1}, 1}));
}

TEST(CandidateEnding, ChangesNoOtherVerdictThanCrashed) {
  protocol::Record record = failed_record(Verdict::kTimeout, "took too long");
  explain(record, {runner_process::Ending{{0, SIGKILL}}, true, false, ""});
  EXPECT_EQ(record.verdict, Verdict::kTimeout);
}

TEST(CandidateEnding, CallsAKillOutOfMemoryOnlyWhereTheKernelSaysSo) {
  protocol::Record record = failed_record(Verdict::kCrashed, "");
  explain(record, {runner_process::Ending{{0, SIGKILL}}, true, false, ""});
  EXPECT_EQ(record.verdict, Verdict::kOutOfMemory);
  record = failed_record(Verdict::kCrashed, "");
  explain(record, {runner_process::Ending{{0, SIGKILL}}, false, false, ""});
  EXPECT_EQ(record.verdict, Verdict::kCrashed);
}

TEST(CandidateEnding, BlamesNobodyWhenTheZygoteWasLost) {
  protocol::Record record = failed_record(Verdict::kCrashed, "");
  explain(record, {runner_process::Ending{{}, true}, false, false, ""});
  EXPECT_EQ(record.verdict, Verdict::kInfrastructure);
}

}  // namespace
}  // namespace autokernel::lane
