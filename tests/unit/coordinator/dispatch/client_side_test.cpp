#include <gmock/gmock.h>

#include <limits>

#include "tests/unit/coordinator/dispatch/harness.hpp"

namespace autokernel::dispatch {
namespace {

using namespace std::chrono_literals;
using protocol::AckKind;
using protocol::Busy;
using protocol::Cancel;
using protocol::CancelJob;
using protocol::Cancelled;
using protocol::Dispatch;
using protocol::Finished;
using protocol::Progress;
using protocol::Reject;
using protocol::ResultAck;
using protocol::StageName;
using protocol::StatusReply;
using protocol::StatusRequest;
using protocol::Submit;
using protocol::Submitted;
using protocol::Verdict;
using protocol::Watch;
using store::JobState;
using test::a_job;
using testing::IsEmpty;
using testing::SizeIs;

TEST(Clients, AreAnsweredAfterTheCommit) {
  Coordinator coordinator;
  coordinator.dispatcher->on_client("client", a_job("a").message());
  EXPECT_THAT(coordinator.mail.clients, IsEmpty());
  coordinator.line.answer_all();
  const auto submitted = coordinator.mail.to_clients<Submitted>();
  ASSERT_THAT(submitted, SizeIs(1));
  EXPECT_EQ(submitted[0].submit_key, a_job("a").key());
  EXPECT_EQ(submitted[0].job, 1U);
  EXPECT_FALSE(submitted[0].duplicate);
}

TEST(Clients, GetTheSameJobForTheSameKey) {
  Coordinator coordinator;
  for (int i = 0; i < 2; ++i) coordinator.dispatcher->on_client("client", a_job("a").message());
  coordinator.turn();
  const auto submitted = coordinator.mail.to_clients<Submitted>();
  ASSERT_THAT(submitted, SizeIs(2));
  EXPECT_TRUE(submitted[1].duplicate);
  EXPECT_EQ(submitted[1].job, submitted[0].job);
}

TEST(Clients, AreToldBusyWhenTheQueueIsFull) {
  DispatchOptions options;
  options.queue_limit = 1;
  Coordinator coordinator(std::make_shared<store::InMemoryDatabase>(), options);
  coordinator.dispatcher->on_client("client", a_job("a").message());
  coordinator.turn();
  coordinator.dispatcher->on_client("client", a_job("b").message());
  const auto busy = coordinator.mail.to_clients<Busy>();
  ASSERT_THAT(busy, SizeIs(1));
  EXPECT_EQ(busy[0].submit_key, a_job("b").key());
  EXPECT_GT(busy[0].retry_after_ms, 0);
}

TEST(Clients, AreToldBusyWhenTheStoreIsFull) {
  Coordinator coordinator;
  coordinator.line.full = true;
  coordinator.dispatcher->on_client("client", a_job("a").message());
  coordinator.turn();
  EXPECT_THAT(coordinator.mail.to_clients<Busy>(), SizeIs(1));
  EXPECT_FALSE(coordinator.dispatcher->stop());
}

TEST(Clients, AJobStaysQueuedWhileTheStoreIsFull) {
  Coordinator coordinator;
  coordinator.hello("peer", "w");
  coordinator.dispatcher->on_client("client", a_job("a").message());
  coordinator.turn();
  coordinator.line.full = true;
  coordinator.credit["peer"] = 1;
  coordinator.pass(3s, {"peer"});
  EXPECT_THAT(coordinator.mail.of<Dispatch>("peer"), IsEmpty());
  coordinator.line.full = false;
  coordinator.pass(2s, {"peer"});
  EXPECT_THAT(coordinator.mail.of<Dispatch>("peer"), SizeIs(1));
}

TEST(Clients, AreRefusedForNonsense) {
  Coordinator coordinator;
  Submit no_key = a_job("a").message();
  no_key.submit_key.clear();
  Submit no_number = a_job("a").message();
  no_number.priority = std::numeric_limits<double>::quiet_NaN();
  coordinator.dispatcher->on_client("client", no_key);
  coordinator.dispatcher->on_client("client", no_number);
  coordinator.dispatcher->on_client("client", Watch{"nonsense", 1});
  coordinator.turn();
  EXPECT_THAT(coordinator.mail.to_clients<Reject>(), SizeIs(3));
  EXPECT_TRUE(coordinator.database->jobs.empty());
}

TEST(Clients, CannotBuyMoreThanABoundedHeadStart) {
  Coordinator coordinator;
  coordinator.dispatcher->on_client("client", a_job("a").with_priority(1e12).message());
  coordinator.turn();
  EXPECT_EQ(coordinator.job(1).submitted.priority, 8);
}

TEST(Clients, WatchWhatEndedOnceEach) {
  Coordinator coordinator;
  coordinator.hello("peer", "w");
  coordinator.finish("peer", coordinator.start("peer", a_job("a")), Verdict::kRobust);
  coordinator.dispatcher->on_client("client", Watch{});
  coordinator.turn();
  auto finished = coordinator.mail.to_clients<Finished>();
  ASSERT_THAT(finished, SizeIs(1));
  ASSERT_THAT(finished[0].jobs, SizeIs(1));
  EXPECT_EQ(finished[0].jobs[0].submit_key, a_job("a").key());
  EXPECT_EQ(finished[0].jobs[0].record->verdict, Verdict::kRobust);
  coordinator.dispatcher->on_client("client", Watch{finished[0].cursor, 64});
  coordinator.turn();
  EXPECT_THAT(coordinator.mail.to_clients<Finished>().back().jobs, IsEmpty());
}

TEST(Clients, SeeTheClusterInItsStatus) {
  Coordinator coordinator;
  coordinator.hello("peer", "w");
  const auto dispatch = coordinator.start("peer", a_job("a"));
  coordinator.dispatcher->on_client("client", a_job("b").message());
  Progress progress{dispatch.token, {}};
  progress.stage.name = StageName::kSweep;
  coordinator.dispatcher->on_worker("peer", progress);
  coordinator.dispatcher->on_client("client", StatusRequest{});
  coordinator.turn();
  const auto status = coordinator.mail.to_clients<StatusReply>();
  ASSERT_THAT(status, SizeIs(1));
  EXPECT_EQ(status[0].epoch, 1U);
  EXPECT_EQ(status[0].jobs.at("queued"), 1U);
  EXPECT_EQ(status[0].jobs.at("running"), 1U);
  EXPECT_EQ(status[0].jobs.at("done"), 0U);
  ASSERT_THAT(status[0].workers, SizeIs(1));
  EXPECT_EQ(status[0].workers[0].worker, "w");
  ASSERT_THAT(status[0].running, SizeIs(1));
  EXPECT_EQ(status[0].running.begin()->first, "level1/a.py/a_kernel.py");
  EXPECT_EQ(status[0].running.begin()->second.stage.name, StageName::kSweep);
}

TEST(Clients, CancelAQueuedJob) {
  Coordinator coordinator;
  coordinator.hello("peer", "w");
  coordinator.dispatcher->on_client("client", a_job("a").message());
  coordinator.dispatcher->on_client("client", CancelJob{1});
  coordinator.turn();
  coordinator.credit["peer"] = 1;
  coordinator.pass(2s, {"peer"});
  EXPECT_TRUE(coordinator.mail.to_clients<Cancelled>().at(0).cancelled);
  EXPECT_THAT(coordinator.mail.of<Dispatch>("peer"), IsEmpty());
}

TEST(Clients, CancelARunningJobAndTheWorkerIsTold) {
  Coordinator coordinator;
  coordinator.hello("peer", "w");
  const auto dispatch = coordinator.start("peer", a_job("a"));
  coordinator.dispatcher->on_client("client", CancelJob{1});
  coordinator.turn();
  ASSERT_THAT(coordinator.mail.of<Cancel>("peer"), SizeIs(1));
  EXPECT_EQ(LeaseToken(coordinator.mail.of<Cancel>("peer")[0].token), LeaseToken(dispatch.token));
  coordinator.finish("peer", dispatch, Verdict::kRobust);
  EXPECT_EQ(coordinator.mail.of<ResultAck>("peer").back().outcome, AckKind::kStale);
  EXPECT_EQ(coordinator.job(1).state, JobState::kCancelled);
}

TEST(Clients, CancelARestingJob) {
  Coordinator coordinator;
  coordinator.hello("peer", "w");
  coordinator.finish("peer", coordinator.start("peer", a_job("a")), Verdict::kInfrastructure);
  coordinator.dispatcher->on_client("client", CancelJob{1});
  coordinator.turn();
  coordinator.credit["peer"] = 1;
  coordinator.pass(30s, {"peer"});
  EXPECT_THAT(coordinator.mail.of<Dispatch>("peer"), SizeIs(1));
  EXPECT_EQ(coordinator.job(1).state, JobState::kCancelled);
}

TEST(Clients, CannotCancelWhatHasEnded) {
  Coordinator coordinator;
  coordinator.hello("peer", "w");
  coordinator.finish("peer", coordinator.start("peer", a_job("a")), Verdict::kRobust);
  coordinator.dispatcher->on_client("client", CancelJob{1});
  coordinator.dispatcher->on_client("client", CancelJob{99});
  coordinator.turn();
  for (const auto& answer : coordinator.mail.to_clients<Cancelled>()) EXPECT_FALSE(answer.cancelled);
}

TEST(Clients, ASuccessorRetriesRestingJobsWhenTheyAreDue) {
  Coordinator coordinator;
  coordinator.hello("peer", "w");
  coordinator.finish("peer", coordinator.start("peer", a_job("a")), Verdict::kInfrastructure);
  coordinator.lead();
  coordinator.hello("peer", "w");
  coordinator.credit["peer"] = 1;
  coordinator.pass(3s, {"peer"});
  EXPECT_THAT(coordinator.mail.of<Dispatch>("peer"), SizeIs(1));
  coordinator.pass(4s, {"peer"});
  EXPECT_THAT(coordinator.mail.of<Dispatch>("peer"), SizeIs(2));
}

}  // namespace
}  // namespace autokernel::dispatch
