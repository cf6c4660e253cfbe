#include "worker/agent/coordinator_link.hpp"

#include <gmock/gmock.h>

namespace autokernel::agent {
namespace {

using namespace std::chrono_literals;
using protocol::Token;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

LeaseToken token(std::uint64_t number, std::uint64_t epoch = 3) { return LeaseToken{Epoch{epoch}, number}; }

class CoordinatorLinkTest : public testing::Test {
 protected:
  CoordinatorLinkTest()
      : link_(
            {"node1", 77, "build", {}, 3}, {}, clock_,
            [] {
              return LinkStatus{"level1/19_ReLU.py", {{"cpu", 0.5}}};
            },
            [] { return 0.5; }) {}

  /// Everything the link wants done since the last call.
  void look() {
    sent_.clear();
    accepted_.clear();
    killed_.clear();
    sockets_ = 0;
    for (const LinkAction& action : link_.take_actions()) {
      if (const auto* send = std::get_if<SendMessage>(&action)) sent_.push_back(send->message);
      if (const auto* accept = std::get_if<AcceptJob>(&action)) accepted_.push_back(accept->dispatch.token);
      if (const auto* kill = std::get_if<KillJob>(&action)) killed_.push_back(kill->token);
      if (std::holds_alternative<OpenSocket>(action)) ++sockets_;
      if (const auto* leave = std::get_if<Leave>(&action)) left_ = *leave;
    }
  }

  template <class Message>
  [[nodiscard]] std::vector<Message> sent() const {
    std::vector<Message> messages;
    for (const auto& message : sent_) {
      if (const auto* wanted = std::get_if<Message>(&message)) messages.push_back(*wanted);
    }
    return messages;
  }

  void welcome(std::uint64_t epoch = 3, std::vector<Token> revoked = {}) {
    link_.receive(protocol::Welcome{epoch, 10'000, 2'000, std::move(revoked)});
  }
  void open() {
    link_.start();
    welcome();
    look();
  }
  void dispatch(std::uint64_t number, std::uint64_t seq = 1) {
    protocol::Dispatch message;
    message.seq = seq;
    message.token = token(number);
    link_.receive(message);
  }
  void begin(std::uint64_t number) {
    link_.note(pipeline::PhaseChanged{token(number), protocol::Phase::kBuilding, true});
  }
  void finish(std::uint64_t number) { link_.note(pipeline::JobFinished{token(number), {}}); }
  void acknowledge_beat() { link_.receive(protocol::BeatAck{1, 3, {}}); }

  ManualClock clock_;
  CoordinatorLink link_;
  std::vector<protocol::WorkerMessage> sent_;
  std::vector<LeaseToken> accepted_;
  std::vector<LeaseToken> killed_;
  int sockets_ = 0;
  std::optional<Leave> left_;
};

TEST_F(CoordinatorLinkTest, GreetsOnAFreshSocketAndOffersItsPlacesOnceWelcome) {
  link_.start();
  look();
  EXPECT_EQ(sockets_, 1);
  ASSERT_THAT(sent<protocol::Hello>(), SizeIs(1));
  EXPECT_EQ(sent<protocol::Hello>()[0].worker, "node1");
  EXPECT_THAT(sent<protocol::Heartbeat>(), IsEmpty());

  welcome();
  look();
  ASSERT_THAT(sent<protocol::Heartbeat>(), SizeIs(1));
  EXPECT_EQ(sent<protocol::Heartbeat>()[0].credit, 3U);
  EXPECT_EQ(sent<protocol::Heartbeat>()[0].warm_problem, "level1/19_ReLU.py");
}

TEST_F(CoordinatorLinkTest, AcceptsAJobOnceHoweverOftenItIsDispatched) {
  open();
  dispatch(1, 5);
  dispatch(1, 6);
  look();
  EXPECT_THAT(accepted_, ElementsAre(token(1)));

  clock_.advance(2s);
  link_.tick();
  look();
  ASSERT_THAT(sent<protocol::Heartbeat>(), SizeIs(1));
  EXPECT_EQ(sent<protocol::Heartbeat>()[0].seen_dispatch, 6U);
  EXPECT_EQ(sent<protocol::Heartbeat>()[0].credit, 2U);
}

TEST_F(CoordinatorLinkTest, SaysStartedOnceWhenWorkBegins) {
  open();
  dispatch(1);
  link_.note(pipeline::PhaseChanged{token(1), protocol::Phase::kBuilding, false});
  look();
  EXPECT_THAT(sent<protocol::Started>(), IsEmpty());
  begin(1);
  link_.note(pipeline::PhaseChanged{token(1), protocol::Phase::kRunning, true});
  look();
  EXPECT_THAT(sent<protocol::Started>(), SizeIs(1));
}

TEST_F(CoordinatorLinkTest, ResendsAResultUntilItIsAcknowledged) {
  open();
  dispatch(1);
  finish(1);
  look();
  EXPECT_THAT(sent<protocol::JobResult>(), SizeIs(1));
  for (int i = 0; i < 2; ++i) {
    clock_.advance(2500ms);
    acknowledge_beat();
    link_.tick();
  }
  look();
  EXPECT_THAT(sent<protocol::JobResult>(), SizeIs(1));

  link_.receive(protocol::ResultAck{token(1), protocol::AckKind::kStored});
  clock_.advance(5s);
  acknowledge_beat();
  link_.tick();
  look();
  EXPECT_THAT(sent<protocol::JobResult>(), IsEmpty());
}

TEST_F(CoordinatorLinkTest, AnswersARepeatedDispatchWithTheResultItHas) {
  open();
  dispatch(1);
  finish(1);
  look();
  dispatch(1);
  look();
  EXPECT_THAT(accepted_, IsEmpty());
  EXPECT_THAT(sent<protocol::JobResult>(), SizeIs(1));
}

TEST_F(CoordinatorLinkTest, DoesNotRunALateSecondDispatchOfAnAcknowledgedJob) {
  open();
  dispatch(1);
  finish(1);
  link_.receive(protocol::ResultAck{token(1), protocol::AckKind::kStored});
  look();
  dispatch(1);
  look();
  EXPECT_THAT(accepted_, IsEmpty());
}

TEST_F(CoordinatorLinkTest, OffersAFreedPlaceAtOnce) {
  open();
  dispatch(1);
  look();
  finish(1);
  look();
  ASSERT_THAT(sent<protocol::Heartbeat>(), SizeIs(1));
  EXPECT_EQ(sent<protocol::Heartbeat>()[0].credit, 3U);
  EXPECT_THAT(sent<protocol::Heartbeat>()[0].running, SizeIs(1))
      << "its lease is held until the result is acknowledged";
}

TEST_F(CoordinatorLinkTest, OffersNothingWhileEightResultsAreNotAcknowledged) {
  open();
  for (std::uint64_t number = 1; number <= 8; ++number) {
    dispatch(number, number);
    finish(number);
  }
  look();
  EXPECT_EQ(sent<protocol::Heartbeat>().back().credit, 0U);
  link_.receive(protocol::ResultAck{token(1), protocol::AckKind::kStored});
  look();
  EXPECT_EQ(sent<protocol::Heartbeat>().back().credit, 3U);
}

TEST_F(CoordinatorLinkTest, KillsARevokedJobAndKeepsItsPlaceTakenUntilItIsGone) {
  open();
  dispatch(1);
  link_.receive(protocol::BeatAck{1, 3, {token(1)}});
  look();
  EXPECT_THAT(killed_, ElementsAre(token(1)));
  clock_.advance(2s);
  link_.tick();
  look();
  EXPECT_EQ(sent<protocol::Heartbeat>()[0].credit, 2U);
  EXPECT_THAT(sent<protocol::Heartbeat>()[0].running, IsEmpty());
  link_.note(pipeline::JobDropped{token(1)});
  look();
  EXPECT_EQ(sent<protocol::Heartbeat>()[0].credit, 3U);
}

TEST_F(CoordinatorLinkTest, DropsTheResultOfAJobThatWasCancelledMeanwhile) {
  open();
  dispatch(1);
  link_.receive(protocol::Cancel{token(1)});
  finish(1);
  look();
  EXPECT_THAT(sent<protocol::JobResult>(), IsEmpty());
}

TEST_F(CoordinatorLinkTest, TakesAFreshSocketAfterThreeSilentHeartbeatsAndComesBackWithItsJobs) {
  open();
  dispatch(1);
  begin(1);
  dispatch(2);
  finish(2);
  for (int i = 0; i < 3; ++i) {
    clock_.advance(2s);
    link_.tick();
  }
  look();
  EXPECT_EQ(sockets_, 0) << "it pauses first";
  clock_.advance(200ms);
  link_.tick();
  look();
  EXPECT_EQ(sockets_, 1);
  ASSERT_THAT(sent<protocol::Hello>(), SizeIs(1));
  EXPECT_THAT(sent<protocol::Hello>()[0].running, SizeIs(2));
  EXPECT_EQ(sent<protocol::Hello>()[0].max_epoch, 3U);

  welcome(4);
  look();
  EXPECT_THAT(sent<protocol::Started>(), SizeIs(1));
  EXPECT_THAT(sent<protocol::JobResult>(), SizeIs(1));
}

TEST_F(CoordinatorLinkTest, PausesLongerEachTimeUpToFiveSeconds) {
  link_.start();
  std::vector<Clock::Duration> pauses;
  for (int i = 0; i < 8; ++i) {
    clock_.advance(6s);  // nobody answers the HELLO
    link_.tick();
    pauses.push_back(link_.next_deadline() - clock_.now());
    clock_.advance(pauses.back());
    link_.tick();
  }
  EXPECT_EQ(pauses[0], 200ms);
  EXPECT_EQ(pauses[1], 400ms);
  EXPECT_EQ(pauses[7], 5s);
}

TEST_F(CoordinatorLinkTest, GreetsAgainWhenTheCoordinatorDoesNotKnowIt) {
  open();
  link_.receive(protocol::WhoAreYou{});
  link_.receive(protocol::WhoAreYou{});
  look();
  EXPECT_THAT(sent<protocol::Hello>(), SizeIs(1));
}

TEST_F(CoordinatorLinkTest, IgnoresFramesOfAnOlderEpoch) {
  open();
  link_.receive(protocol::BeatAck{1, 2, {token(1)}});
  protocol::Dispatch stale;
  stale.token = token(9, 2);
  link_.receive(stale);
  look();
  EXPECT_THAT(accepted_, IsEmpty());
  EXPECT_THAT(killed_, IsEmpty());
}

TEST_F(CoordinatorLinkTest, LooksForTheSuccessorWhenAnOlderCoordinatorAnswers) {
  open();
  link_.receive(protocol::WhoAreYou{});
  welcome(2);
  look();
  EXPECT_THAT(sent<protocol::Heartbeat>(), IsEmpty());
  clock_.advance(1s);
  link_.tick();
  look();
  EXPECT_EQ(sockets_, 1);
}

TEST_F(CoordinatorLinkTest, FinishesWhatRunsWhenDrainedThenLeaves) {
  open();
  dispatch(1);
  link_.receive(protocol::Drain{});
  dispatch(2);
  look();
  EXPECT_EQ(sent<protocol::Heartbeat>().back().credit, 0U);
  ASSERT_THAT(sent<protocol::Release>(), SizeIs(1));
  EXPECT_EQ(LeaseToken(sent<protocol::Release>()[0].token), token(2));
  finish(1);
  look();
  EXPECT_FALSE(left_);
  link_.receive(protocol::ResultAck{token(1), protocol::AckKind::kStored});
  look();
  ASSERT_TRUE(left_);
  EXPECT_EQ(left_->exit_code, 0);
}

TEST_F(CoordinatorLinkTest, HandsItsJobsBackWhenStoppedAndLeavesOnceThatIsHeard) {
  open();
  dispatch(1);
  look();
  link_.stop();
  look();
  EXPECT_THAT(sent<protocol::Release>(), SizeIs(1));
  EXPECT_THAT(killed_, ElementsAre(token(1)));
  EXPECT_FALSE(left_);
  const auto last = sent<protocol::Heartbeat>().back().seq;
  link_.receive(protocol::BeatAck{last - 1, 3, {}});
  look();
  EXPECT_FALSE(left_);
  link_.receive(protocol::BeatAck{last, 3, {}});
  look();
  ASSERT_TRUE(left_);
  EXPECT_EQ(left_->exit_code, 0);
}

TEST_F(CoordinatorLinkTest, LeavesAfterAFarewellThatNobodyHears) {
  open();
  link_.stop();
  clock_.advance(2s);
  link_.tick();
  look();
  EXPECT_TRUE(left_);
}

TEST_F(CoordinatorLinkTest, LeavesWithAMessageWhenItIsRefused) {
  open();
  dispatch(1);
  link_.receive(protocol::Reject{protocol::RejectCode::kSuperseded, "a newer process has this name"});
  look();
  ASSERT_TRUE(left_);
  EXPECT_EQ(left_->exit_code, 3);
  EXPECT_THAT(left_->reason, testing::HasSubstr("a newer process has this name"));
}

TEST_F(CoordinatorLinkTest, FreesItsDevicesWhenOutOfContactForTwoMinutes) {
  open();
  dispatch(1);
  look();
  std::vector<LeaseToken> killed;
  for (int i = 0; i < 130; ++i) {
    clock_.advance(1s);
    link_.tick();
    look();
    killed.insert(killed.end(), killed_.begin(), killed_.end());
  }
  EXPECT_THAT(killed, ElementsAre(token(1)));
}

TEST_F(CoordinatorLinkTest, HandsBackAFloodBeyondItsPlaces) {
  open();
  for (std::uint64_t number = 1; number <= 10; ++number) dispatch(number, number);
  look();
  EXPECT_THAT(accepted_, SizeIs(6));
  EXPECT_THAT(sent<protocol::Release>(), SizeIs(4));
}

}  // namespace
}  // namespace autokernel::agent
