#include "worker/runner_process/zygote.hpp"

#include <gmock/gmock.h>
#include <signal.h>
#include <stdlib.h>

#include "common/protocol/tagged.hpp"
#include "fake_node.hpp"
#include "worker/messages/builder.hpp"
#include "worker/runner_process/cancellation.hpp"
#include "worker/runner_process/scratch_folder.hpp"

namespace autokernel::runner_process {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

/// Sets a variable for the processes that the test starts.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) { ::setenv(name, value, 1); }
  ~Variable() { ::unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
};

ChildRequest a_builder(const test::FakeNode& node) {
  ChildRequest request;
  request.folder = node.folder.path().string();
  request.output_path = (node.folder.path() / "out.log").string();
  return request;
}

TEST(Zygote, TellsWhatItRuns) {
  const test::FakeNode node;
  EXPECT_EQ(node.zygote->environment()["torch"], "2.11.0");
}

TEST(Zygote, PassesTheRunnersOwnWordsOnWhenTheMachineIsUnfit) {
  const test::TemporaryFolder folder;
  const Variable mode("FAKE_RUNNER", "unfit");
  const auto zygote = Zygote::start(test::fake_zygote_options(folder.path()));
  ASSERT_FALSE(zygote);
  EXPECT_EQ(zygote.error().code, Code::kUnavailable);
  EXPECT_EQ(zygote.error().message, "torch is not installed: run scripts/setup");
}

TEST(Zygote, SaysWhereToLookWhenItDoesNotGetReady) {
  const test::TemporaryFolder folder;
  const Variable mode("FAKE_RUNNER", "mute");
  auto options = test::fake_zygote_options(folder.path());
  options.start_limit = 0s;
  const auto zygote = Zygote::start(options);
  ASSERT_FALSE(zygote);
  EXPECT_THAT(zygote.error().message, HasSubstr("runner.log"));
}

TEST(Zygote, NamesAProgramThatIsNotThere) {
  const test::TemporaryFolder folder;
  auto options = test::fake_zygote_options(folder.path());
  options.program = "/nowhere/autokernel-runner";
  const auto zygote = Zygote::start(options);
  ASSERT_FALSE(zygote);
  EXPECT_EQ(zygote.error().code, Code::kNotFound);
  EXPECT_THAT(zygote.error().message, HasSubstr("/nowhere/autokernel-runner"));
}

TEST(Zygote, ReportsHowAChildEnded) {
  const test::FakeNode node;
  auto child = node.zygote->spawn(a_builder(node));
  ASSERT_TRUE(child);
  EXPECT_FALSE(child->wait(0ms));
  child->channel().close();  // a builder without work ends by itself
  const auto ending = child->wait(10s);
  ASSERT_TRUE(ending);
  EXPECT_TRUE(ending->status.success());
}

TEST(Zygote, KillsAChildOnRequest) {
  const test::FakeNode node;
  auto child = node.zygote->spawn(a_builder(node));
  ASSERT_TRUE(child);
  child->kill();
  child->kill();
  const auto ending = child->wait(10s);
  ASSERT_TRUE(ending);
  EXPECT_EQ(ending->status.signal, SIGKILL);
  EXPECT_TRUE(ending->killed_by_us);
}

TEST(Zygote, LosesItsChildrenWhenItDiesAndIsStartedAgain) {
  const test::FakeNode node;
  auto child = node.zygote->spawn(a_builder(node));
  ASSERT_TRUE(child);
  {
    // Its channel is what the zygote lives by; a message that does not parse makes the stand-in give up.
    auto bad = a_builder(node);
    bad.environment["x"] = std::string(std::size_t{17} << 20U, 'x');
    static_cast<void>(node.zygote->spawn(bad));
  }
  const auto ending = child->wait(10s);
  ASSERT_TRUE(ending);
  EXPECT_TRUE(ending->zygote_lost);
  auto next = node.zygote->spawn(a_builder(node));
  EXPECT_TRUE(next) << (next ? "" : next.error().message);
}

TEST(Cancellation, KillsWhatIsAttachedNowAndLater) {
  Cancellation cancellation;
  int killed = 0;
  {
    const auto gone = cancellation.attach([&] { killed += 100; });
  }
  const auto attached = cancellation.attach([&] { ++killed; });
  cancellation.cancel();
  cancellation.cancel();
  EXPECT_EQ(killed, 1);
  const auto late = cancellation.attach([&] { ++killed; });
  EXPECT_EQ(killed, 2);
}

TEST(ScratchFolder, IsGoneWithEverythingInIt) {
  const test::TemporaryFolder parent;
  std::filesystem::path path;
  {
    auto scratch = ScratchFolder::make(parent.path() / "deep", "job");
    ASSERT_TRUE(scratch);
    path = scratch->path();
    ASSERT_TRUE(system::write_file(path / "file", "text"));
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(OutputTail, KeepsWholeLinesAtTheEndAndNoControlCharacters) {
  const test::TemporaryFolder folder;
  const auto file = folder.path() / "out";
  ASSERT_TRUE(system::write_file(file, "first line\nsecond \x1b[31mline\n\n"));
  EXPECT_EQ(output_tail(file, 20), "second [31mline");
  EXPECT_EQ(output_tail(folder.path() / "none"), "");
}

}  // namespace
}  // namespace autokernel::runner_process
