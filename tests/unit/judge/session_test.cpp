#include "worker/runner/judge/session.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <thread>

#include "common/protocol/tagged.hpp"
#include "common/system/process.hpp"

namespace autokernel::judge {
namespace {

using namespace std::chrono_literals;
using messages::Item;
using messages::ItemKind;
using protocol::Verdict;

/// A candidate's end that answers each question with the next of the given byte strings, then closes.
class ScriptedCandidate {
 public:
  explicit ScriptedCandidate(std::vector<std::string> answers) {
    auto pair = system::Channel::make_pair();
    judge_end_.emplace(std::move(pair->first));
    thread_ = std::thread([channel = std::move(pair->second), answers = std::move(answers)]() mutable {
      for (const std::string& answer : answers) {
        if (!channel.receive(10s)) return;
        if (!channel.send(answer)) return;
      }
    });
  }
  ~ScriptedCandidate() { thread_.join(); }
  system::Channel take() { return *std::move(judge_end_); }

 private:
  std::optional<system::Channel> judge_end_;
  std::thread thread_;
};

std::string packed(const messages::FromCandidate& message) { return protocol::pack_message(message); }

struct Asking {
  SteadyClock clock;
  Asked<messages::Forwarded> forward(std::vector<std::string> answers) {
    ScriptedCandidate candidate(std::move(answers));
    CandidateSession session({candidate.take(), std::nullopt}, clock, 30);
    auto reply = session.ask<messages::Forwarded>(messages::Forward{});
    session.close();
    return reply;
  }
};

TEST(CandidateSession, PassesAProperAnswerOn) {
  messages::Forwarded forwarded;
  forwarded.seconds = 0.25;
  const auto reply = Asking().forward({packed(forwarded)});
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->seconds, 0.25);
}

TEST(CandidateSession, AnExceptionInForwardIsARuntimeErrorInItsOwnWords) {
  const auto reply =
      Asking().forward({packed(messages::Failed{messages::FailureKind::kException, "ValueError: no", ""})});
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().verdict, Verdict::kRuntimeError);
  EXPECT_EQ(reply.error().detail, "forward: ValueError: no");
  EXPECT_FALSE(reply.error().process_is_lost);
}

TEST(CandidateSession, TheSameExceptionWhileLoadingIsALoadError) {
  const messages::Failed failed{messages::FailureKind::kException, "ImportError: no module", ""};
  EXPECT_EQ(fault_from(failed, messages::Load{}).verdict, Verdict::kLoadError);
  EXPECT_EQ(fault_from(failed, messages::Instantiate{}).verdict, Verdict::kRuntimeError);
}

TEST(CandidateSession, OutOfMemoryIsItsOwnVerdictWhereverItHappens) {
  const messages::Failed failed{messages::FailureKind::kOutOfMemory, "tried to allocate", ""};
  EXPECT_EQ(fault_from(failed, messages::Load{}).verdict, Verdict::kOutOfMemory);
  EXPECT_EQ(fault_from(failed, messages::TimeBlock{}).verdict, Verdict::kOutOfMemory);
}

TEST(CandidateSession, ADeviceErrorMakesTheDeviceSuspect) {
  const auto fault = fault_from({messages::FailureKind::kDeviceError, "illegal address", ""}, messages::Forward{});
  EXPECT_EQ(fault.verdict, Verdict::kRuntimeError);
  EXPECT_TRUE(fault.device_suspect);
}

TEST(CandidateSession, AClosedChannelIsACrash) {
  const auto reply = Asking().forward({});
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().verdict, Verdict::kCrashed);
  EXPECT_TRUE(reply.error().vanished);
}

TEST(CandidateSession, SilenceIsATimeout) {
  auto pair = system::Channel::make_pair();
  SteadyClock clock;
  CandidateSession session({std::move(pair->first), std::nullopt}, clock, 0.05);
  const auto reply = session.ask<messages::Forwarded>(messages::Forward{});
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().verdict, Verdict::kTimeout);
  EXPECT_FALSE(reply.error().vanished);
  EXPECT_TRUE(reply.error().process_is_lost);
  EXPECT_EQ(session.budget_left(), 0);
}

TEST(CandidateSession, GarbageIsACrashInPlainWords) {
  for (const std::string& garbage : {std::string("\xc1\xff\x00zz", 5), std::string(),
                                     std::string("\x81\xa4type\xa4"
                                                 "evil",
                                                 11)}) {
    const auto reply = Asking().forward({garbage});
    ASSERT_FALSE(reply);
    EXPECT_EQ(reply.error().verdict, Verdict::kCrashed);
    EXPECT_TRUE(reply.error().process_is_lost);
  }
}

char state_of(pid_t process) {
  std::string stat;
  std::getline(std::ifstream("/proc/" + std::to_string(process) + "/stat"), stat);
  return stat.at(stat.rfind(") ") + 2);
}

TEST(CandidateSession, ItsProcessRunsWhileAQuestionIsOpenAndAtNoOtherTime) {
  auto process = system::ChildProcess::start({.arguments = {"sleep", "600"}});
  auto ends = system::Channel::make_pair();
  const SteadyClock clock;
  CandidateSession session({std::move(ends->first), *system::ProcessGroup::of_leader(process->pid(), ::getpid())},
                           clock, 30);
  std::string states;
  std::thread candidate([&, channel = std::move(ends->second)]() mutable {
    for (int question = 0; question < 3; ++question) {
      if (!channel.receive(10s)) return;
      states += state_of(process->pid());
      if (!channel.send(packed(messages::Forwarded()))) return;
    }
  });
  for (int question = 0; question < 3; ++question) {
    EXPECT_TRUE(session.ask<messages::Forwarded>(messages::Forward{}));
    EXPECT_EQ(state_of(process->pid()), 'T');
  }
  candidate.join();
  EXPECT_EQ(states.find('T'), std::string::npos) << states;
  session.kill();
  EXPECT_EQ(process->wait(20s)->signal, SIGKILL);
}

TEST(MeetCandidate, ClosesTheChannelOfWhatIsNoCandidateOfOurs) {
  for (const std::string& first : {packed(messages::Started{::getpid()}), packed(messages::Started{0}),
                                   packed(messages::Started{-1}), packed(messages::Loaded{}), std::string("?")}) {
    auto ends = system::Channel::make_pair();
    ASSERT_TRUE(ends->second.send(first));
    const CandidateEnd end = meet_candidate(std::move(ends->first));
    EXPECT_FALSE(end.group);
    EXPECT_FALSE(end.channel.valid());
  }
}

TEST(CandidateSession, OneThatDoesNotReadIsATimeout) {
  auto ends = system::Channel::make_pair();
  const SteadyClock clock;
  CandidateSession session({std::move(ends->first), std::nullopt}, clock, 0.05);
  messages::Load question;
  question.problem_path.assign(std::size_t{4} << 20U, 'x');  // more than a socket takes unread
  const auto reply = session.ask<messages::Loaded>(question);
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().verdict, Verdict::kTimeout);
}

TEST(CandidateSession, AnEndlessTimeLimitIsOne) {
  ScriptedCandidate candidate({packed(messages::Forwarded())});
  const SteadyClock clock;
  CandidateSession session({candidate.take(), std::nullopt}, clock, 1e300);
  EXPECT_TRUE(session.ask<messages::Forwarded>(messages::Forward{}));
  session.close();
}

TEST(CandidateSession, AnAnswerToAnotherQuestionIsACrash) {
  const auto reply = Asking().forward({packed(messages::Loaded{})});
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().verdict, Verdict::kCrashed);
}

TEST(CandidateSession, ABombOfNestingIsRefused) {
  Item item;
  for (int depth = 0; depth < 200; ++depth) {
    Item outer;
    outer.kind = ItemKind::kList;
    outer.items.push_back(item);
    item = outer;
  }
  messages::Forwarded forwarded;
  forwarded.result = item;
  const auto reply = Asking().forward({packed(forwarded)});
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().verdict, Verdict::kCrashed);
}

TEST(CandidateSession, AHugeMessageIsRefusedUnread) {
  messages::Failed failed;
  failed.message = std::string(std::size_t{5} << 20U, 'x');
  const auto reply = Asking().forward({packed(failed)});
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().verdict, Verdict::kCrashed);
}

TEST(CandidateSession, TerminalEscapesDoNotReachTheRecord) {
  const auto reply =
      Asking().forward({packed(messages::Failed{messages::FailureKind::kException, "\x1b]0;evil\x07", ""})});
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().detail.find('\x1b'), std::string::npos);
}

Item tensor_at(std::uint64_t offset, std::vector<std::int64_t> shape, std::vector<std::int64_t> strides) {
  Item item;
  item.kind = ItemKind::kTensor;
  item.tensor = messages::TensorView{"float32", std::move(shape), std::move(strides), offset};
  return item;
}

TEST(CheckPlaces, TheGivenPlaceIsFine) {
  EXPECT_FALSE(check_places(tensor_at(512, {2, 3}, {3, 1}), tensor_at(512, {2, 3}, {3, 1})));
}

TEST(CheckPlaces, AnotherPlaceIsALie) {
  const auto fault = check_places(tensor_at(0, {2, 3}, {3, 1}), tensor_at(512, {2, 3}, {3, 1}));
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->verdict, Verdict::kCheating);
  EXPECT_EQ(fault->cheating_kind, "reply");
}

TEST(CheckPlaces, AnExpandedViewIsALie) {
  EXPECT_TRUE(check_places(tensor_at(512, {2, 3}, {0, 0}), tensor_at(512, {2, 3}, {3, 1})));
}

TEST(CheckPlaces, ImpossibleTensorsAreRefusedWhateverTheStructure) {
  EXPECT_TRUE(check_places(tensor_at(512, {-1}, {1}), tensor_at(512, {2}, {1})));
  EXPECT_TRUE(check_places(tensor_at(512, {2}, {}), tensor_at(512, {2}, {1})));
  EXPECT_TRUE(check_places(tensor_at(512, {1LL << 40, 1LL << 40}, {1, 1}), tensor_at(512, {2}, {1})));
}

TEST(CheckPlaces, AWrongShapeIsNotALie) {
  EXPECT_FALSE(check_places(tensor_at(UINT64_MAX, {4}, {1}), tensor_at(512, {2, 3}, {3, 1})));
}

}  // namespace
}  // namespace autokernel::judge
