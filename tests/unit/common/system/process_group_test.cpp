#include "common/system/process_group.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/system/process.hpp"

namespace autokernel::system {
namespace {

using namespace std::chrono_literals;

constexpr auto kSoon = 20'000ms;  // never reached where the code is right

ChildProcess started(const std::string& script) {
  auto child = ChildProcess::start(ProcessOptions{.arguments = {"sh", "-c", script}});
  AUTOKERNEL_CHECK(child.has_value());
  return *std::move(child);
}

/// A process that ends by itself only when somebody lets it run.
ChildProcess counting() { return started("i=0; while [ $i -lt 2000000 ]; do i=$((i+1)); done"); }

bool is_stopped(pid_t process) {
  siginfo_t state{};
  return ::waitid(P_PID, static_cast<id_t>(process), &state, WSTOPPED | WNOHANG | WNOWAIT) == 0 &&
         state.si_pid == process && state.si_code == CLD_STOPPED;
}

TEST(ProcessGroup, StopsItsLeaderAndLetsItGoOn) {
  auto child = counting();
  const auto group = ProcessGroup::of_leader(child.pid(), ::getpid());
  ASSERT_TRUE(group) << group.error().message;
  ASSERT_TRUE(group->stop(kSoon));
  EXPECT_TRUE(is_stopped(child.pid()));
  group->resume();
  EXPECT_TRUE(child.wait(kSoon)) << "it goes on to its end";
}

TEST(ProcessGroup, StopsASleeperAndOneThatWaitsForItsChild) {
  for (const char* script : {"sleep 600", "sleep 600 & wait", "sh -c 'while :; do :; done'"}) {
    auto child = started(script);
    const auto group = ProcessGroup::of_leader(child.pid());
    ASSERT_TRUE(group);
    EXPECT_TRUE(group->stop(kSoon)) << script;  // a shell may be stopped in its vfork, which waits for the child
  }
}

TEST(ProcessGroup, KillsOneThatIsStopped) {
  auto child = started("sleep 600");
  const auto group = ProcessGroup::of_leader(child.pid());
  ASSERT_TRUE(group->stop(kSoon));
  group->kill();
  EXPECT_EQ(child.wait(kSoon)->signal, SIGKILL);
}

TEST(ProcessGroup, SaysThatAGroupIsGone) {
  auto child = started("exit 0");
  const auto group = ProcessGroup::of_leader(child.pid());
  ASSERT_TRUE(group);
  ASSERT_TRUE(child.wait(kSoon));
  const auto stopped = group->stop(kSoon);
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, Code::kNotFound);
}

TEST(ProcessGroup, IsRefusedForWhatLeadsNoneAndForAStrangersChild) {
  EXPECT_EQ(ProcessGroup::of_leader(0).error().code, Code::kInvalid);
  EXPECT_EQ(ProcessGroup::of_leader(1).error().code, Code::kInvalid);
  EXPECT_EQ(ProcessGroup::of_leader(-1).error().code, Code::kInvalid);
  auto child = started("sleep 600");
  EXPECT_EQ(ProcessGroup::of_leader(child.pid(), child.pid()).error().code, Code::kInvalid);
}

}  // namespace
}  // namespace autokernel::system
