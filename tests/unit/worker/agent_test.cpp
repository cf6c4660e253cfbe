#include "worker/agent/agent.hpp"

#include <gmock/gmock.h>

#include <thread>

#include "common/protocol/tagged.hpp"
#include "fake_node.hpp"

namespace autokernel::agent {
namespace {

using namespace std::chrono_literals;
using protocol::Verdict;

/// A coordinator's socket on a real endpoint, played by the test; behind it a whole worker around the fake runner.
class AgentTest : public testing::Test {
 protected:
  AgentTest() : builder_(node_.builder(&gate_)), events_([this] { waker_.wake(); }) {
    pipeline::Pipeline::Options options;
    options.lanes.push_back(node_.lane_resources());
    pipeline_ = std::make_unique<pipeline::Pipeline>(std::move(options), builder_, &gate_, events_);
    open_coordinator();
    agent_ = std::make_unique<Agent>(endpoint(), LinkIdentity{"node1", 7, "b", {}, pipeline_->capacity()},
                                     LinkTimes{.heartbeat = 1000ms, .first_pause = 10ms, .longest_pause = 20ms},
                                     *pipeline_, events_, waker_, stop_);
    thread_ = std::thread([this] { exit_code_ = agent_->run().value_or(99); });
  }
  ~AgentTest() override {
    stop();
    if (thread_.joinable()) thread_.join();
  }

  void stop() {
    stop_.store(true);
    waker_.wake();
  }
  [[nodiscard]] std::string endpoint() const { return "ipc://" + (node_.folder.path() / "workers").string(); }
  void open_coordinator() {
    router_.reset();
    auto bound = transport::Router::bind(context_, endpoint());
    AUTOKERNEL_CHECK(bound.has_value());
    router_ = *std::move(bound);
    knows_worker_ = false;
  }

  /// The next message of that type; others before it are passed over, heartbeats answered.
  template <class Message>
  Message expect() {
    for (;;) {
      transport::Poll poll;
      poll.add(*router_);
      AUTOKERNEL_CHECK(poll.wait(30s).has_value());
      auto received = router_->receive();
      AUTOKERNEL_CHECK(received.has_value());
      if (!*received) continue;
      peer_ = (*received)->peer;
      auto message = protocol::unpack_message<protocol::WorkerMessage>((*received)->body);
      AUTOKERNEL_CHECK(message.has_value());
      if (const auto* beat = std::get_if<protocol::Heartbeat>(&*message)) answer(*beat);
      if (auto* wanted = std::get_if<Message>(&*message)) return std::move(*wanted);
      if (std::holds_alternative<protocol::Hello>(*message)) welcome();  // on a slow machine it may have lost patience
    }
  }
  void say(const protocol::ToWorkerMessage& message) {
    EXPECT_TRUE(router_->send(peer_, protocol::pack_message(message)));
  }
  void answer(const protocol::Heartbeat& beat) {
    if (knows_worker_) {
      say(protocol::BeatAck{beat.seq, 1, {}});
    } else {
      say(protocol::WhoAreYou{});
    }
  }
  void welcome() {
    say(protocol::Welcome{1, 10'000, 1000, {}});
    knows_worker_ = true;
  }

  test::FakeNode node_;
  compile::CpuGate gate_;
  compile::Builder builder_;
  transport::Waker waker_;
  pipeline::EventQueue events_;
  std::atomic<bool> stop_{false};
  std::unique_ptr<pipeline::Pipeline> pipeline_;
  transport::Context context_;
  std::unique_ptr<transport::Router> router_;
  std::string peer_;
  bool knows_worker_ = false;
  std::unique_ptr<Agent> agent_;
  std::thread thread_;
  std::atomic<int> exit_code_{-1};
};

TEST_F(AgentTest, WorksOnAJobFromHelloToAcknowledgement) {
  EXPECT_EQ(expect<protocol::Hello>().worker, "node1");
  welcome();
  EXPECT_EQ(expect<protocol::Heartbeat>().credit, 2U) << "a lane and a builder";
  say(test::a_dispatch(1, "OK"));
  EXPECT_EQ(expect<protocol::Started>().token.number, 1U);
  const auto result = expect<protocol::JobResult>();
  EXPECT_EQ(result.record.verdict, Verdict::kRobust);
  say(protocol::ResultAck{result.token, protocol::AckKind::kStored});
  say(protocol::Drain{});
  thread_.join();
  EXPECT_EQ(exit_code_.load(), 0);
}

TEST_F(AgentTest, KeepsAResultOverACoordinatorThatRestarts) {
  expect<protocol::Hello>();
  welcome();
  say(test::a_dispatch(1, "OK"));
  expect<protocol::JobResult>();  // and dies before the acknowledgement
  open_coordinator();
  const auto hello = expect<protocol::Hello>();
  ASSERT_EQ(hello.running.size(), 1U);
  welcome();
  EXPECT_EQ(expect<protocol::JobResult>().record.verdict, Verdict::kRobust);
}

TEST_F(AgentTest, HandsARunningJobBackWhenItIsStopped) {
  expect<protocol::Hello>();
  welcome();
  say(test::a_dispatch(1, "HANG"));
  expect<protocol::Started>();
  stop();
  EXPECT_EQ(expect<protocol::Release>().token.number, 1U);
  expect<protocol::Heartbeat>();
  thread_.join();
  EXPECT_EQ(exit_code_.load(), 0);
}

TEST_F(AgentTest, ARevokedJobFreesItsLaneForTheNext) {
  expect<protocol::Hello>();
  welcome();
  say(test::a_dispatch(1, "HANG"));
  expect<protocol::Started>();
  say(protocol::Cancel{LeaseToken{Epoch{1}, 1}});
  say(test::a_dispatch(2, "OK"));
  EXPECT_EQ(expect<protocol::JobResult>().token.number, 2U);
}

}  // namespace
}  // namespace autokernel::agent
