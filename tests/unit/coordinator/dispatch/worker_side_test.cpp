#include <gmock/gmock.h>

#include "tests/unit/coordinator/dispatch/harness.hpp"

namespace autokernel::dispatch {
namespace {

using namespace std::chrono_literals;
using protocol::AckKind;
using protocol::BeatAck;
using protocol::DeviceKind;
using protocol::Dispatch;
using protocol::Finished;
using protocol::Hello;
using protocol::JobEnd;
using protocol::JobResult;
using protocol::Phase;
using protocol::Reject;
using protocol::RejectCode;
using protocol::Release;
using protocol::ResultAck;
using protocol::Token;
using protocol::Verdict;
using protocol::Watch;
using protocol::Welcome;
using protocol::WhoAreYou;
using store::JobState;
using test::a_job;
using test::a_record;
using testing::IsEmpty;
using testing::SizeIs;

TEST(Dispatcher, AsksAStrangerWhoItIs) {
  Coordinator coordinator;
  coordinator.beat("stranger");
  EXPECT_THAT(coordinator.mail.of<WhoAreYou>("stranger"), SizeIs(1));
}

TEST(Dispatcher, WelcomesAWorkerWithItsTerms) {
  Coordinator coordinator;
  coordinator.hello("peer", "w");
  const auto welcome = coordinator.mail.of<Welcome>("peer");
  ASSERT_THAT(welcome, SizeIs(1));
  EXPECT_EQ(welcome[0].epoch, 1U);
  EXPECT_EQ(welcome[0].term_ms, 10'000);
  EXPECT_EQ(welcome[0].heartbeat_ms, 2000);
}

TEST(Dispatcher, SendsNoMoreThanTheCredit) {
  Coordinator coordinator;
  coordinator.hello("peer", "w");
  for (const char* name : {"a", "b", "c"}) coordinator.dispatcher->on_client("client", a_job(name).message());
  coordinator.credit["peer"] = 2;
  coordinator.beat("peer");
  coordinator.turn();
  coordinator.turn();
  const auto sent = coordinator.mail.of<Dispatch>("peer");
  ASSERT_THAT(sent, SizeIs(2));
  EXPECT_EQ(sent[0].spec.problem.name, "level1/a.py");
  EXPECT_LT(sent[0].seq, sent[1].seq);
  EXPECT_LT(LeaseToken(sent[0].token), LeaseToken(sent[1].token));
}

TEST(Dispatcher, DispatchesOnlyAfterTheLeaseIsCommitted) {
  Coordinator coordinator;
  coordinator.hello("peer", "w");
  coordinator.dispatcher->on_client("client", a_job("a").message());
  coordinator.line.answer_all();
  coordinator.credit["peer"] = 1;
  coordinator.beat("peer");
  coordinator.dispatcher->turn();
  EXPECT_THAT(coordinator.mail.of<Dispatch>("peer"), IsEmpty());
  coordinator.line.answer_all();
  EXPECT_THAT(coordinator.mail.of<Dispatch>("peer"), SizeIs(1));
}

TEST(Dispatcher, KeepsADeviceJobForAWorkerThatHasTheDevice) {
  Coordinator coordinator;
  coordinator.hello("cpu", "w1");
  coordinator.hello("gpu", "w2", 1, {}, DeviceKind::kCuda);
  coordinator.dispatcher->on_client("client", a_job("a").needs(DeviceKind::kCuda).message());
  coordinator.credit["cpu"] = coordinator.credit["gpu"] = 1;
  coordinator.beat("cpu");
  coordinator.turn();
  EXPECT_THAT(coordinator.mail.of<Dispatch>("cpu"), IsEmpty());
  coordinator.beat("gpu");
  coordinator.turn();
  EXPECT_THAT(coordinator.mail.of<Dispatch>("gpu"), SizeIs(1));
}

TEST(Dispatcher, AcknowledgesAResultAfterItsCommit) {
  Coordinator coordinator;
  coordinator.hello("peer", "w");
  const auto dispatch = coordinator.start("peer", a_job("a"));
  EXPECT_EQ(coordinator.job(1).state, JobState::kRunning);
  coordinator.dispatcher->on_worker("peer", JobResult{dispatch.token, a_record(dispatch.spec, Verdict::kRobust)});
  EXPECT_THAT(coordinator.mail.of<ResultAck>("peer"), IsEmpty());
  coordinator.line.answer_all();
  ASSERT_THAT(coordinator.mail.of<ResultAck>("peer"), SizeIs(1));
  EXPECT_EQ(coordinator.mail.of<ResultAck>("peer")[0].outcome, AckKind::kStored);
  EXPECT_EQ(coordinator.job(1).state, JobState::kDone);
}

TEST(Dispatcher, AnswersAResentResultWithDup) {
  Coordinator coordinator;
  coordinator.hello("peer", "w");
  const auto dispatch = coordinator.start("peer", a_job("a"));
  coordinator.finish("peer", dispatch, Verdict::kRobust);
  coordinator.finish("peer", dispatch, Verdict::kRobust);
  EXPECT_EQ(coordinator.mail.of<ResultAck>("peer").back().outcome, AckKind::kDup);
}

TEST(Dispatcher, ASilentWorkerCostsACrashAndItsLateResultIsStale) {
  Coordinator coordinator;
  coordinator.hello("peer", "w");
  coordinator.hello("other", "w2");
  const auto dispatch = coordinator.start("peer", a_job("a"));
  coordinator.pass(11s, {"other"});
  EXPECT_EQ(coordinator.job(1).state, JobState::kDelayed);
  EXPECT_EQ(coordinator.job(1).crashes, 1);

  coordinator.credit["other"] = 1;
  coordinator.pass(6s, {"other"});
  ASSERT_THAT(coordinator.mail.of<Dispatch>("other"), SizeIs(1));
  EXPECT_EQ(coordinator.mail.of<Dispatch>("other")[0].attempt, 2);

  coordinator.finish("peer", dispatch, Verdict::kRobust);
  EXPECT_EQ(coordinator.mail.of<ResultAck>("peer").back().outcome, AckKind::kStale);
  EXPECT_EQ(coordinator.job(1).state, JobState::kLeased);
}

TEST(Dispatcher, ADispatchWithoutAnyAnswerIsGivenToAnotherAtOnceAndCountsNoCrash) {
  Coordinator coordinator;
  coordinator.hello("peer", "w");
  coordinator.dispatcher->on_client("client", a_job("a").message());
  coordinator.credit["peer"] = 1;
  coordinator.beat("peer");
  coordinator.turn();
  const double score = coordinator.job(1).score;
  coordinator.pass(11s);
  EXPECT_EQ(coordinator.job(1).state, JobState::kQueued);
  EXPECT_EQ(coordinator.job(1).crashes, 0);
  EXPECT_EQ(coordinator.job(1).score, score);
}

TEST(Dispatcher, ABeatThatListsTheTokenStandsForALostStarted) {
  Coordinator coordinator;
  coordinator.hello("peer", "w");
  coordinator.dispatcher->on_client("client", a_job("a").message());
  coordinator.credit["peer"] = 1;
  coordinator.beat("peer");
  coordinator.turn();
  coordinator.held["peer"] = {{coordinator.mail.of<Dispatch>("peer")[0].token, Phase::kBuilding}};
  coordinator.pass(30s, {"peer"});
  EXPECT_EQ(coordinator.job(1).state, JobState::kRunning);
}

TEST(Dispatcher, AnUnreachablePeerLosesItsDispatchAtOnce) {
  Coordinator coordinator;
  coordinator.hello("peer", "w");
  coordinator.dispatcher->on_client("client", a_job("a").message());
  coordinator.credit["peer"] = 1;
  coordinator.beat("peer");
  coordinator.mail.gone.insert("peer");
  coordinator.turn();
  EXPECT_EQ(coordinator.job(1).state, JobState::kQueued);
  EXPECT_EQ(coordinator.job(1).crashes, 0);
}

TEST(Dispatcher, AReleasedJobKeepsItsPlaceAndTheWorkerRests) {
  Coordinator coordinator;
  coordinator.hello("peer", "w");
  coordinator.dispatcher->on_client("client", a_job("a").message());
  coordinator.credit["peer"] = 1;
  coordinator.beat("peer");
  coordinator.turn();
  const auto token = coordinator.mail.of<Dispatch>("peer")[0].token;
  coordinator.dispatcher->on_worker("peer", Release{token, "no disk"});
  coordinator.beat("peer");
  coordinator.turn();
  coordinator.turn();
  EXPECT_EQ(coordinator.job(1).state, JobState::kQueued);
  EXPECT_EQ(coordinator.job(1).crashes, 0);
  EXPECT_THAT(coordinator.mail.of<Dispatch>("peer"), SizeIs(1));
  coordinator.pass(3s, {"peer"});
  EXPECT_THAT(coordinator.mail.of<Dispatch>("peer"), SizeIs(2));
}

TEST(Dispatcher, AnInfrastructureFailureIsRetriedAndThenQuarantinedWithItsRecord) {
  Coordinator coordinator;
  coordinator.hello("peer", "w");
  auto dispatch = coordinator.start("peer", a_job("a"));
  for (int crash = 1; crash <= 3; ++crash) {
    coordinator.finish("peer", dispatch, Verdict::kInfrastructure);
    EXPECT_EQ(coordinator.mail.of<ResultAck>("peer").back().outcome, AckKind::kStored);
    EXPECT_EQ(coordinator.job(1).crashes, crash);
    if (crash == 3) break;
    coordinator.credit["peer"] = 1;
    while (coordinator.mail.of<Dispatch>("peer").size() == static_cast<std::size_t>(crash)) {
      coordinator.pass(1s, {"peer"});
    }
    dispatch = coordinator.mail.of<Dispatch>("peer").back();
    EXPECT_EQ(dispatch.attempt, crash + 1);
  }
  EXPECT_EQ(coordinator.job(1).state, JobState::kQuarantined);

  coordinator.dispatcher->on_client("client", Watch{});
  coordinator.turn();
  const auto finished = coordinator.mail.to_clients<Finished>();
  ASSERT_THAT(finished, SizeIs(1));
  ASSERT_THAT(finished[0].jobs, SizeIs(1));
  EXPECT_EQ(finished[0].jobs[0].end, JobEnd::kQuarantined);
  ASSERT_TRUE(finished[0].jobs[0].record);
  EXPECT_EQ(finished[0].jobs[0].record->verdict, Verdict::kInfrastructure);
}

TEST(Dispatcher, RetriesOnAWorkerTheJobDidNotDieOnWhereThereIsOne) {
  Coordinator coordinator;
  coordinator.hello("peer", "w");
  coordinator.hello("other", "w2");
  const auto dispatch = coordinator.start("peer", a_job("a"));
  coordinator.finish("peer", dispatch, Verdict::kInfrastructure);
  coordinator.credit["peer"] = 1;
  coordinator.pass(10s, {"peer", "other"});
  EXPECT_THAT(coordinator.mail.of<Dispatch>("peer"), SizeIs(1));
  coordinator.credit["other"] = 1;
  coordinator.pass(1s, {"peer", "other"});
  EXPECT_THAT(coordinator.mail.of<Dispatch>("other"), SizeIs(1));
}

TEST(Dispatcher, ANewStartOfTheWorkerLosesItsOldLeasesAtOnce) {
  Coordinator coordinator;
  coordinator.hello("peer", "w", 1);
  coordinator.start("peer", a_job("a"));
  coordinator.hello("again", "w", 2);
  coordinator.turn();
  EXPECT_EQ(coordinator.job(1).state, JobState::kDelayed);
  EXPECT_EQ(coordinator.job(1).crashes, 1);
  EXPECT_EQ(coordinator.mail.of<Reject>("peer").back().code, RejectCode::kSuperseded);
}

TEST(Dispatcher, ASuccessorAdoptsRunningJobsAndRevokesUnknownOnes) {
  Coordinator coordinator;
  coordinator.hello("peer", "w");
  const auto dispatch = coordinator.start("peer", a_job("a"));
  coordinator.lead();
  coordinator.beat("peer");
  EXPECT_THAT(coordinator.mail.of<WhoAreYou>("peer"), SizeIs(1));
  const Token unknown(LeaseToken{{1}, 99});
  coordinator.hello("new", "w", 1, {{dispatch.token, Phase::kRunning}, {unknown, Phase::kRunning}});
  const auto welcome = coordinator.mail.of<Welcome>("new");
  ASSERT_THAT(welcome, SizeIs(1));
  EXPECT_EQ(welcome[0].epoch, 2U);
  ASSERT_THAT(welcome[0].revoked, SizeIs(1));
  EXPECT_EQ(LeaseToken(welcome[0].revoked[0]), LeaseToken(unknown));

  coordinator.pass(30s, {"new"});
  coordinator.finish("new", dispatch, Verdict::kCorrect);
  EXPECT_EQ(coordinator.mail.of<ResultAck>("new").back().outcome, AckKind::kStored);
  EXPECT_EQ(coordinator.job(1).crashes, 0);
}

TEST(Dispatcher, ASuccessorGivesAFullTermBeforeItGivesUpALease) {
  Coordinator coordinator;
  coordinator.hello("peer", "w");
  coordinator.start("peer", a_job("a"));
  coordinator.advance(1h);
  coordinator.lead();
  coordinator.pass(9s);
  EXPECT_EQ(coordinator.job(1).state, JobState::kRunning);
  coordinator.pass(2s);
  EXPECT_EQ(coordinator.job(1).state, JobState::kDelayed);
}

TEST(Dispatcher, NobodyDiesWhileTheCoordinatorItselfWasAway) {
  Coordinator coordinator;
  coordinator.hello("peer", "w");
  coordinator.start("peer", a_job("a"));
  coordinator.advance(60s);
  coordinator.turn();
  EXPECT_EQ(coordinator.job(1).state, JobState::kRunning);
  coordinator.pass(20s, {"peer"});
  EXPECT_EQ(coordinator.job(1).crashes, 0);
}

TEST(Dispatcher, NobodyDiesWhileTheStoreIsAway) {
  Coordinator coordinator;
  coordinator.hello("peer", "w");
  coordinator.start("peer", a_job("a"));
  coordinator.line.is_reachable = false;
  for (int i = 0; i < 60; ++i) {
    coordinator.advance(1s);
    coordinator.dispatcher->turn();
  }
  coordinator.line.is_reachable = true;
  coordinator.turn();
  EXPECT_EQ(coordinator.job(1).state, JobState::kRunning);
}

TEST(Dispatcher, AResultOnItsWaySavesALeaseThatTheBeatDenies) {
  Coordinator coordinator;
  coordinator.hello("peer", "w");
  const auto dispatch = coordinator.start("peer", a_job("a"));
  coordinator.held["peer"].clear();
  coordinator.pass(5s, {"peer"});
  coordinator.finish("peer", dispatch, Verdict::kCorrect);
  EXPECT_EQ(coordinator.job(1).state, JobState::kDone);
}

TEST(Dispatcher, ADeniedLeaseWithoutAResultIsLostAfterItsTerm) {
  Coordinator coordinator;
  coordinator.hello("peer", "w");
  coordinator.start("peer", a_job("a"));
  coordinator.held["peer"].clear();
  coordinator.pass(11s, {"peer"});
  EXPECT_EQ(coordinator.job(1).state, JobState::kDelayed);
}

TEST(Dispatcher, RefusesAnothersToken) {
  Coordinator coordinator;
  coordinator.hello("peer", "w");
  coordinator.hello("thief", "w2");
  const auto dispatch = coordinator.start("peer", a_job("a"));
  coordinator.dispatcher->on_worker("thief", JobResult{dispatch.token, a_record(dispatch.spec, Verdict::kRobust)});
  coordinator.dispatcher->on_worker("thief", Release{dispatch.token, "mine"});
  coordinator.turn();
  EXPECT_EQ(coordinator.job(1).state, JobState::kRunning);
  const auto refusals = coordinator.mail.of<Reject>("thief");
  ASSERT_THAT(refusals, SizeIs(2));
  EXPECT_EQ(refusals[0].code, RejectCode::kForbidden);
}

TEST(Dispatcher, ABeatWithAVoidTokenIsToldSo) {
  Coordinator coordinator;
  coordinator.hello("peer", "w");
  coordinator.held["peer"] = {{LeaseToken{{1}, 99}, Phase::kRunning}};
  coordinator.beat("peer");
  ASSERT_THAT(coordinator.mail.of<BeatAck>("peer"), SizeIs(1));
  EXPECT_THAT(coordinator.mail.of<BeatAck>("peer")[0].revoked, SizeIs(1));
}

TEST(Dispatcher, TakesOverAgainAboveAnEpochThatAWorkerHasServed) {
  Coordinator coordinator;
  Hello hello;
  hello.worker = "w";
  hello.max_epoch = 7;
  coordinator.dispatcher->on_worker("peer", hello);
  ASSERT_TRUE(coordinator.dispatcher->stop());
  EXPECT_EQ(coordinator.dispatcher->stop()->reason, Stop::Reason::kOvertaken);
  EXPECT_EQ(coordinator.dispatcher->stop()->at_least.value, 7U);
}

TEST(Dispatcher, RefusesNonsenseInAHello) {
  Coordinator coordinator;
  for (const std::string& name : {std::string(), std::string("a b"), std::string("a\nb"), std::string(200, 'x')}) {
    Hello hello;
    hello.worker = name;
    coordinator.dispatcher->on_worker("peer", hello);
  }
  Hello hello;
  hello.worker = "w";
  hello.max_epoch = ~std::uint64_t{0};
  coordinator.dispatcher->on_worker("peer", hello);
  EXPECT_THAT(coordinator.mail.of<Reject>("peer"), SizeIs(5));
  EXPECT_THAT(coordinator.mail.of<Welcome>("peer"), IsEmpty());
  EXPECT_FALSE(coordinator.dispatcher->stop());
}

TEST(Dispatcher, StopsWhenAnotherLeads) {
  Coordinator coordinator;
  store::InMemoryJobStore successor(coordinator.database);
  ASSERT_TRUE(successor.takeover({}));
  coordinator.dispatcher->on_client("client", a_job("a").message());
  coordinator.turn();
  ASSERT_TRUE(coordinator.dispatcher->stop());
  EXPECT_EQ(coordinator.dispatcher->stop()->reason, Stop::Reason::kFenced);
  EXPECT_THAT(coordinator.mail.clients, IsEmpty());
}

TEST(Dispatcher, ForgetsAWorkerThatStaysSilent) {
  Coordinator coordinator;
  coordinator.hello("peer", "w");
  coordinator.pass(25s);
  coordinator.beat("peer");
  EXPECT_THAT(coordinator.mail.of<WhoAreYou>("peer"), SizeIs(1));
}

TEST(Dispatcher, ARecordTooLargeToStoreEndsAsAnInfrastructureFailure) {
  Coordinator coordinator;
  coordinator.hello("peer", "w");
  const auto dispatch = coordinator.start("peer", a_job("a"));
  auto record = a_record(dispatch.spec, Verdict::kRobust);
  record.detail.assign(store::kRecordBytes + 1, 'x');
  coordinator.dispatcher->on_worker("peer", JobResult{dispatch.token, record});
  coordinator.turn();
  EXPECT_EQ(coordinator.job(1).state, JobState::kDelayed);
  EXPECT_THAT(coordinator.mail.of<ResultAck>("peer"), SizeIs(1));
}

}  // namespace
}  // namespace autokernel::dispatch
