#include "common/system/process.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <sstream>

#include "common/system/channel.hpp"
#include "tests/support/temporary_folder.hpp"

namespace autokernel::system {
namespace {

using namespace std::chrono_literals;
using test::TemporaryFolder;

constexpr auto kSoon = 20'000ms;  // never reached where the code is right

ProcessOptions shell(const std::string& script) { return ProcessOptions{.arguments = {"sh", "-c", script}}; }

std::string text_of(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

/// What the script printed, once it ended.
std::string output_of(ProcessOptions options) {
  const TemporaryFolder folder;
  options.output_path = folder / "output";
  auto child = ChildProcess::start(options);
  EXPECT_TRUE(child) << child.error().message;
  EXPECT_TRUE(child->wait(kSoon));
  return text_of(folder / "output");
}

TEST(ExitStatus, ReadsForAPerson) {
  EXPECT_EQ((ExitStatus{3, 0}).text(), "exit code 3");
  EXPECT_EQ((ExitStatus{0, SIGSEGV}).text(), "killed by SIGSEGV (Segmentation fault)");
}

TEST(ChildProcess, ReportsHowItEnded) {
  auto exited = ChildProcess::start(shell("exit 7"));
  EXPECT_EQ(exited->wait(kSoon)->code, 7);
  auto killed = ChildProcess::start(shell("kill -SEGV $$"));
  EXPECT_EQ(killed->wait(kSoon)->signal, SIGSEGV);
  EXPECT_EQ(killed->poll()->signal, SIGSEGV) << "the status stays";
}

TEST(ChildProcess, TellsAMissingProgramFromOneThatMayNotRun) {
  EXPECT_EQ(ChildProcess::start({.arguments = {"/no/such/program"}}).error().code, Code::kNotFound);
  EXPECT_EQ(ChildProcess::start({.arguments = {"/etc/passwd"}}).error().code, Code::kUnavailable);
}

TEST(ChildProcess, AddsToTheEnvironmentAndReplacesInIt) {
  ::setenv("AUTOKERNEL_TEST_KEPT", "kept", 1);
  ::setenv("AUTOKERNEL_TEST_REPLACED", "old", 1);
  auto options = shell("echo $AUTOKERNEL_TEST_KEPT $AUTOKERNEL_TEST_REPLACED $AUTOKERNEL_TEST_ADDED");
  options.environment = {{"AUTOKERNEL_TEST_REPLACED", "new"}, {"AUTOKERNEL_TEST_ADDED", "added"}};
  EXPECT_EQ(output_of(options), "kept new added\n");
}

TEST(ChildProcess, AppendsToItsOutputFile) {
  const TemporaryFolder folder;
  std::ofstream(folder / "log") << "before\n";
  auto options = shell("echo out; echo err >&2");
  options.output_path = folder / "log";
  EXPECT_TRUE(ChildProcess::start(options)->wait(kSoon));
  EXPECT_EQ(text_of(folder / "log"), "before\nout\nerr\n");
}

TEST(ChildProcess, HasAnEmptyStandardInput) { EXPECT_EQ(output_of(shell("cat; echo end")), "end\n"); }

TEST(ChildProcess, InheritsTheDescriptorsNamedAndNoOthers) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);  // not close-on-exec, as a careless library would leave it
  const UniqueFd read_end(ends[0]);
  const UniqueFd write_end(ends[1]);
  ASSERT_EQ(::fcntl(write_end.get(), F_SETFD, FD_CLOEXEC), 0);
  auto options = shell("echo through the pipe >&3");
  options.descriptors = {{write_end.get(), 3}};
  auto child = ChildProcess::start(options);
  ASSERT_TRUE(child) << child.error().message;
  ASSERT_TRUE(child->wait(kSoon));
  std::array<char, 64> text{};
  const auto got = ::read(read_end.get(), text.data(), text.size());
  EXPECT_EQ(std::string_view(text.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0))), "through the pipe\n");
}

TEST(ChildProcess, SwapsDescriptorsWhoseNumbersOverlap) {
  // Low numbers that are free here are what start() itself opens: none of them may be taken for a target.
  const TemporaryFolder folder;
  const UniqueFd one(::open((folder / "one").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  const UniqueFd two(::open((folder / "two").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  auto options = shell("for fd in 3 4 5 6 7 8; do echo $fd >&$fd; done");
  for (int target = 3; target <= 8; ++target) {
    options.descriptors.emplace_back(target % 2 == 1 ? one.get() : two.get(), target);
  }
  auto child = ChildProcess::start(options);
  ASSERT_TRUE(child) << child.error().message;
  EXPECT_EQ(child->wait(kSoon)->code, 0);
  EXPECT_EQ(text_of(folder / "one"), "3\n5\n7\n");
  EXPECT_EQ(text_of(folder / "two"), "4\n6\n8\n");
}

TEST(ChildProcess, ReportsAFailedExecEvenWhenEveryLowDescriptorIsATarget) {
  const UniqueFd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  ProcessOptions options{.arguments = {"/no/such/program"}};
  for (int target = 3; target <= 20; ++target) options.descriptors.emplace_back(null.get(), target);
  EXPECT_EQ(ChildProcess::start(options).error().code, Code::kNotFound);
}

TEST(ChildProcess, RefusesADescriptorThatIsNotOpen) {
  auto options = shell("true");
  options.descriptors = {{1000, 3}};
  EXPECT_EQ(ChildProcess::start(options).error().code, Code::kExhausted);
}

TEST(ChildProcess, StopsPolitelyFirst) {
  const TemporaryFolder folder;
  auto options = shell("trap 'echo bye; exit 5' TERM; echo ready; while :; do sleep 0.01; done");
  options.output_path = folder / "output";
  auto child = ChildProcess::start(options);
  while (text_of(folder / "output") != "ready\n") std::this_thread::yield();
  EXPECT_EQ(child->stop(kSoon).code, 5);
  EXPECT_EQ(text_of(folder / "output"), "ready\nbye\n");
}

TEST(ChildProcess, KillsOneThatDoesNotListen) {
  const TemporaryFolder folder;
  auto options = shell("trap '' TERM; echo ready; while :; do sleep 0.01; done");
  options.output_path = folder / "output";
  auto child = ChildProcess::start(options);
  while (text_of(folder / "output") != "ready\n") std::this_thread::yield();
  EXPECT_EQ(child->stop(1ms).signal, SIGKILL);
}

/// Readable as end-of-file once every process that holds the other end has ended.
class Witness {
 public:
  Witness() : ends_(Channel::make_pair().value()) {}
  [[nodiscard]] int passed() const { return ends_.second.fd(); }
  [[nodiscard]] bool all_gone() {
    ends_.second.close();
    const auto frame = ends_.first.receive(kSoon);
    return !frame && frame.error().code == Code::kUnavailable;
  }

 private:
  std::pair<Channel, Channel> ends_;
};

TEST(ChildProcess, TakesItsGrandchildrenAlongWhenStopped) {
  Witness witness;
  auto options = shell("sleep 1000 & sleep 1000");
  options.descriptors = {{witness.passed(), 3}};
  {
    auto child = ChildProcess::start(options);
    ASSERT_TRUE(child);
  }
  EXPECT_TRUE(witness.all_gone());
}

TEST(ChildProcess, LeavesNothingBehindWhenItEndsByItself) {
  Witness witness;
  auto options = shell("sleep 1000 & exit 0");
  options.descriptors = {{witness.passed(), 3}};
  auto child = ChildProcess::start(options);
  ASSERT_TRUE(child->wait(kSoon));
  EXPECT_TRUE(witness.all_gone());
}

TEST(ChildProcess, IsStoppedOnceWhenMoved) {
  auto first = ChildProcess::start(shell("sleep 1000"));
  ChildProcess second = *std::move(first);
  EXPECT_FALSE(second.poll());
  EXPECT_EQ(second.stop(0ms).signal, SIGKILL);
}

TEST(ExecutableFolder, HoldsThisProgram) {
  EXPECT_TRUE(std::filesystem::exists(std::filesystem::path(executable_folder()) / "unit_system"));
}

}  // namespace
}  // namespace autokernel::system
