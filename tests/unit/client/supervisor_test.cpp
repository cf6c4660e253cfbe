#include "client/node/supervisor.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include "common/system/file.hpp"
#include "tests/support/temporary_folder.hpp"

namespace autokernel::client {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Fake programs: shells that write down that they started and ended.
class SupervisorTest : public ::testing::Test {
 protected:
  Service service(const std::string& name, const std::string& script) {
    Service result;
    result.name = name;
    result.process.arguments = {"/bin/sh", "-c", script};
    result.process.environment = {{"FOLDER", folder_.path().string()}};
    result.process.output_path = (folder_ / (name + ".log")).string();
    return result;
  }

  /// Writes NAME.up, waits to be told to stop, and adds its name to `ended`.
  Service lasting(const std::string& name) {
    Service result = service(name, fmt::format("trap 'echo {0} >> $FOLDER/ended; exit 0' TERM; touch $FOLDER/{0}.up;"
                                               " while :; do sleep 0.01; done",
                                               name));
    result.ready = [path = folder_ / (name + ".up")] { return std::filesystem::exists(path); };
    return result;
  }

  /// Ends a child and waits until the kernel knows, so that check() sees it at once.
  static void kill_and_wait(pid_t pid) {
    ASSERT_EQ(::kill(pid, SIGKILL), 0);
    wait_for_end(pid);
  }
  static void wait_for_end(pid_t pid) {
    siginfo_t info{};
    ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT), 0);
  }

  test::TemporaryFolder folder_;
  SteadyClock clock_;
  const std::function<bool()> never_ = [] { return false; };
};

TEST_F(SupervisorTest, StopsInTheReverseOrderOfStarting) {
  Supervisor supervisor(clock_, {lasting("first"), lasting("second")});
  ASSERT_TRUE(supervisor.start(never_));
  supervisor.stop();
  EXPECT_EQ(*system::read_file(folder_ / "ended", 100), "second\nfirst\n");
}

TEST_F(SupervisorTest, StartsAgainWhatDiedAndSaysSo) {
  Supervisor supervisor(clock_, {lasting("first")});
  ASSERT_TRUE(supervisor.start(never_));
  const pid_t before = *supervisor.pid_of("first");
  kill_and_wait(before);
  const auto notes = supervisor.check();
  ASSERT_TRUE(notes);
  EXPECT_THAT(*notes, ElementsAre(HasSubstr("first died (killed by SIGKILL (Killed)); starting it again (1 of 3)")));
  EXPECT_NE(supervisor.pid_of("first"), before);
  EXPECT_THAT(*supervisor.check(), IsEmpty());
}

TEST_F(SupervisorTest, GivesUpOnAServiceThatKeepsDying) {
  Supervisor::Settings settings;
  settings.restarts = 1;
  Supervisor supervisor(clock_, {lasting("first")}, settings);
  ASSERT_TRUE(supervisor.start(never_));
  kill_and_wait(*supervisor.pid_of("first"));
  ASSERT_TRUE(supervisor.check());
  kill_and_wait(*supervisor.pid_of("first"));
  const auto checked = supervisor.check();
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().code, Code::kUnavailable);
  EXPECT_THAT(checked.error().message, HasSubstr("first died 2 times"));
}

TEST_F(SupervisorTest, ForgetsDeathsThatAreLongAgo) {
  ManualClock clock;
  Supervisor::Settings settings;
  settings.restarts = 1;
  Supervisor supervisor(clock, {lasting("first")}, settings);
  ASSERT_TRUE(supervisor.start(never_));
  for (int night = 0; night < 5; ++night) {
    kill_and_wait(*supervisor.pid_of("first"));
    const auto checked = supervisor.check();
    ASSERT_TRUE(checked) << checked.error().message;
    EXPECT_THAT(*checked, ElementsAre(HasSubstr("(1 of 1)")));
    clock.advance(settings.window + std::chrono::seconds(1));
  }
  kill_and_wait(*supervisor.pid_of("first"));
  ASSERT_TRUE(supervisor.check());
  clock.advance(settings.window - std::chrono::seconds(1));
  kill_and_wait(*supervisor.pid_of("first"));
  EXPECT_THAT(supervisor.check().error().message, HasSubstr("first died 2 times in 10 min"));
}

TEST_F(SupervisorTest, AServiceThatCannotStartGivesOneMessage) {
  ManualClock clock;
  Supervisor supervisor(clock, {service("broken", "echo torch is not installed; exit 3")});
  ASSERT_TRUE(supervisor.start(never_));
  Result<std::vector<std::string>> checked = std::vector<std::string>{};
  for (int death = 0; death < 4 && checked; ++death) {
    wait_for_end(*supervisor.pid_of("broken"));
    checked = supervisor.check();
    EXPECT_THAT(checked.value_or(std::vector<std::string>{}), IsEmpty());
  }
  ASSERT_FALSE(checked);
  EXPECT_THAT(checked.error().message, HasSubstr("broken died 4 times in 10 min, last by exit code 3"));
  EXPECT_THAT(checked.error().message, HasSubstr("torch is not installed"));
}

TEST_F(SupervisorTest, TellsOfADeathAtTheStartWhenTheSuccessorHasSettled) {
  ManualClock clock;
  Supervisor supervisor(
      clock, {service("first", "[ -e $FOLDER/again ] || { touch $FOLDER/again; exit 3; }; exec sleep 1000")});
  ASSERT_TRUE(supervisor.start(never_));
  wait_for_end(*supervisor.pid_of("first"));
  EXPECT_THAT(*supervisor.check(), IsEmpty());
  clock.advance(std::chrono::seconds(6));
  EXPECT_THAT(*supervisor.check(), ElementsAre(HasSubstr("first died (exit code 3); starting it again (1 of 3)")));
  EXPECT_THAT(*supervisor.check(), IsEmpty());
}

TEST_F(SupervisorTest, StartsNothingBeforeItsPredecessorIsReadyAgain) {
  bool ready = true;
  Service first = lasting("first");
  first.ready = [&ready] { return ready; };
  Supervisor supervisor(clock_, {first, lasting("second")});
  ASSERT_TRUE(supervisor.start(never_));
  kill_and_wait(*supervisor.pid_of("first"));
  kill_and_wait(*supervisor.pid_of("second"));

  ready = false;
  ASSERT_TRUE(supervisor.check());
  EXPECT_NE(supervisor.pid_of("first"), std::nullopt);
  EXPECT_EQ(supervisor.pid_of("second"), std::nullopt);

  ready = true;
  ASSERT_TRUE(supervisor.check());
  EXPECT_NE(supervisor.pid_of("second"), std::nullopt);
}

TEST_F(SupervisorTest, AServiceThatDoesNotStartGivesItsLastWords) {
  Service broken = service("broken", "echo starting; echo the port is taken; exit 3");
  broken.ready = [] { return false; };
  Supervisor supervisor(clock_, {broken});
  const auto started = supervisor.start(never_);
  ASSERT_FALSE(started);
  EXPECT_THAT(started.error().message, HasSubstr("broken does not start (exit code 3): the port is taken (log: "));
}

TEST_F(SupervisorTest, AMissingProgramIsNamed) {
  Service missing = service("missing", "");
  missing.process.arguments = {"no-such-program-anywhere"};
  Supervisor supervisor(clock_, {missing});
  const auto started = supervisor.start(never_);
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code, Code::kNotFound);
}

TEST_F(SupervisorTest, WaitingForReadinessCanBeCancelled) {
  Service slow = lasting("slow");
  slow.ready = [] { return false; };
  Supervisor supervisor(clock_, {slow});
  const auto started = supervisor.start([] { return true; });
  ASSERT_FALSE(started);
  EXPECT_THAT(started.error().message, HasSubstr("interrupted"));
}

}  // namespace
}  // namespace autokernel::client
