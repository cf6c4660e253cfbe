#include "worker/agent/direct_server.hpp"

#include <gmock/gmock.h>

#include <thread>

#include "common/protocol/tagged.hpp"
#include "fake_node.hpp"

namespace autokernel::agent {
namespace {

using namespace std::chrono_literals;
using protocol::Verdict;
using testing::HasSubstr;

/// A whole worker behind a channel, around the fake runner.
class DirectServerTest : public testing::Test {
 protected:
  DirectServerTest() : builder_(node_.builder(&gate_)), events_([this] { waker_.wake(); }) {
    pipeline::Pipeline::Options options;
    options.lanes.push_back(node_.lane_resources());
    pipeline_ = std::make_unique<pipeline::Pipeline>(std::move(options), builder_, &gate_, events_);
    auto ends = system::Channel::make_pair();
    AUTOKERNEL_CHECK(ends.has_value());
    client_.emplace(std::move(ends->first));
    server_ = std::thread([this, channel = std::move(ends->second)]() mutable {
      result_ = serve_directly(std::move(channel), *pipeline_, events_, waker_, stop_);
    });
  }
  ~DirectServerTest() override { end(); }

  void end() {
    client_->close();
    if (server_.joinable()) server_.join();
  }

  void dispatch(std::uint64_t number, const std::string& candidate,
                protocol::Language language = protocol::Language::kPython) {
    auto message = test::a_dispatch(number, candidate);
    message.spec.candidate.language = language;
    say(message);
  }
  void say(const protocol::ToWorkerMessage& message) { ASSERT_TRUE(client_->send(protocol::pack_message(message))); }

  /// The next result; stages that come before it are collected.
  protocol::JobResult next() {
    for (;;) {
      auto frame = client_->receive(30s);
      AUTOKERNEL_CHECK(frame.has_value() && frame->has_value());
      auto message = protocol::unpack_message<protocol::WorkerMessage>((*frame)->bytes);
      AUTOKERNEL_CHECK(message.has_value());
      if (auto* result = std::get_if<protocol::JobResult>(&*message)) return std::move(*result);
      progress_.push_back(std::get<protocol::Progress>(*message).stage);
    }
  }

  test::FakeNode node_;
  compile::CpuGate gate_;
  compile::Builder builder_;
  transport::Waker waker_;
  pipeline::EventQueue events_;
  std::atomic<bool> stop_{false};
  std::unique_ptr<pipeline::Pipeline> pipeline_;
  std::optional<system::Channel> client_;
  std::thread server_;
  Result<void> result_;
  std::vector<protocol::StageReport> progress_;
};

TEST_F(DirectServerTest, AnswersEveryJobOnceAndEndsWithItsClient) {
  dispatch(1, "OK");
  dispatch(2, "OK", protocol::Language::kCpp);
  dispatch(3, "COMPILE ERROR", protocol::Language::kCpp);
  dispatch(4, "CRASH");
  std::map<std::uint64_t, Verdict> verdicts;
  for (int i = 0; i < 4; ++i) {
    const auto result = next();
    EXPECT_TRUE(verdicts.emplace(result.token.number, result.record.verdict).second);
  }
  EXPECT_EQ(verdicts,
            (std::map<std::uint64_t, Verdict>{
                {1, Verdict::kRobust}, {2, Verdict::kRobust}, {3, Verdict::kCompileError}, {4, Verdict::kCrashed}}));
  EXPECT_FALSE(progress_.empty());
  end();
  EXPECT_TRUE(result_.has_value());
}

TEST_F(DirectServerTest, ACompileErrorShowsTheCompilersWords) {
  dispatch(1, "COMPILE ERROR", protocol::Language::kCpp);
  const auto record = next().record;
  EXPECT_THAT(record.detail, HasSubstr("expected a ';'"));
  EXPECT_EQ(record.stages.at(0).outcome, protocol::StageOutcome::kFailed);
  EXPECT_EQ(record.stages.at(1).outcome, protocol::StageOutcome::kNotReached);
  EXPECT_FALSE(record.correct);
  EXPECT_EQ(record.environment.at("torch"), "2.11.0");
}

TEST_F(DirectServerTest, AMissingCompilerIsTheMachinesFault) {
  dispatch(1, "NO COMPILER", protocol::Language::kCpp);
  EXPECT_EQ(next().record.verdict, Verdict::kInfrastructure);
}

TEST_F(DirectServerTest, ACandidateForADeviceThatIsNotHereIsSaidSo) {
  auto message = test::a_dispatch(1, "OK");
  message.spec.candidate.needs = protocol::DeviceKind::kCuda;
  say(message);
  const auto record = next().record;
  EXPECT_EQ(record.verdict, Verdict::kInfrastructure);
  EXPECT_THAT(record.detail, HasSubstr("cuda"));
}

TEST_F(DirectServerTest, DoesNotPretendToHaveASandbox) {
  auto message = test::a_dispatch(1, "OK");
  message.spec.options.sandbox = protocol::SandboxMode::kRequire;
  say(message);
  const auto record = next().record;
  EXPECT_EQ(record.verdict, Verdict::kInfrastructure);
  EXPECT_THAT(record.detail, HasSubstr("--sandbox require"));
}

TEST_F(DirectServerTest, ACancelledJobFreesTheLane) {
  dispatch(1, "HANG");
  say(protocol::Cancel{LeaseToken{Epoch{1}, 1}});
  dispatch(2, "OK");
  EXPECT_EQ(next().token.number, 2U);
}

TEST_F(DirectServerTest, EndsWithHangingJobsWhenTheClientIsGone) {
  dispatch(1, "HANG");
  dispatch(2, "BUILD HANG", protocol::Language::kCpp);
  end();
  pipeline_.reset();  // returns: both are killed
}

TEST_F(DirectServerTest, EndsWhenStopped) {
  stop_.store(true);
  waker_.wake();
  server_.join();
  EXPECT_TRUE(result_.has_value());
}

TEST_F(DirectServerTest, RefusesAMessageThatAClientDoesNotSend) {
  say(protocol::Drain{});
  server_.join();
  ASSERT_FALSE(result_.has_value());
  EXPECT_THAT(result_.error().message, HasSubstr("DRAIN"));
}

}  // namespace
}  // namespace autokernel::agent
