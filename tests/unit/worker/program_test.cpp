// The program itself, around the fake runner: what a person sees when something is wrong, and one job over --direct-fd.
#include <gmock/gmock.h>
#include <signal.h>

#include "common/protocol/tagged.hpp"
#include "common/system/channel.hpp"
#include "common/system/process.hpp"
#include "fake_node.hpp"
#include "worker/runner_process/scratch_folder.hpp"

namespace autokernel {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

struct Outcome {
  int exit_code = -1;
  std::string output;
};

class ProgramTest : public testing::Test {
 protected:
  system::ProcessOptions call(std::vector<std::string> arguments) const {
    system::ProcessOptions options;
    options.arguments = {AUTOKERNEL_WORKER_PROGRAM, "--cache", (folder_.path() / "cache").string(), "--folder",
                         (folder_.path() / "scratch").string()};
    options.arguments.insert(options.arguments.end(), arguments.begin(), arguments.end());
    options.output_path = output().string();
    return options;
  }
  Outcome run(std::vector<std::string> arguments, std::map<std::string, std::string> environment = {}) const {
    auto options = call(std::move(arguments));
    options.environment = std::move(environment);
    auto process = system::ChildProcess::start(options);
    AUTOKERNEL_CHECK(process.has_value());
    const auto status = process->wait(60s);
    return {status ? status->code : -1, runner_process::output_tail(output(), 8192)};
  }
  [[nodiscard]] std::filesystem::path output() const { return folder_.path() / "output.log"; }

  test::TemporaryFolder folder_;
};

TEST_F(ProgramTest, WantsACoordinator) {
  const auto outcome = run({});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.output, HasSubstr("--connect"));
}

TEST_F(ProgramTest, NamesADeviceThatIsNotThere) {
  const auto outcome = run({"--connect", "tcp://127.0.0.1:1", "--devices", "cuda:99"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.output, HasSubstr("cuda:99"));
}

TEST_F(ProgramTest, SaysWhyThereIsNoRunner) {
  const auto outcome = run({"--connect", "tcp://127.0.0.1:1", "--devices", "cpu", "--runner", "/nowhere/runner"});
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_THAT(outcome.output, HasSubstr("PyTorch"));
}

TEST_F(ProgramTest, PassesOnWhyTheMachineIsUnfit) {
  const auto outcome = run({"--connect", "tcp://127.0.0.1:1", "--devices", "cpu", "--runner", AUTOKERNEL_FAKE_RUNNER},
                           {{"FAKE_RUNNER", "unfit"}});
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_THAT(outcome.output, HasSubstr("torch is not installed: run scripts/setup"));
}

TEST_F(ProgramTest, NamesACacheThatCannotBeWritten) {
  ASSERT_TRUE(system::write_file(folder_.path() / "file", ""));
  const auto outcome =
      run({"--connect", "tcp://127.0.0.1:1", "--devices", "cpu", "--cache", (folder_.path() / "file/cache").string()});
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_THAT(outcome.output, HasSubstr("file/cache"));
}

TEST_F(ProgramTest, ServesAClientOverADescriptorUntilItCloses) {
  auto ends = system::Channel::make_pair();
  ASSERT_TRUE(ends);
  auto options = call({"--direct-fd", "7", "--devices", "cpu", "--runner", AUTOKERNEL_FAKE_RUNNER});
  options.descriptors = {{ends->second.fd(), 7}};
  auto process = system::ChildProcess::start(options);
  ASSERT_TRUE(process);
  ends->second.close();
  system::Channel& client = ends->first;
  ASSERT_TRUE(client.send(protocol::pack_message(protocol::ToWorkerMessage(test::a_dispatch(1, "OK")))));
  std::optional<protocol::JobResult> result;
  while (!result) {
    auto frame = client.receive(60s);
    ASSERT_TRUE(frame.has_value() && frame->has_value());
    auto message = protocol::unpack_message<protocol::WorkerMessage>((*frame)->bytes);
    ASSERT_TRUE(message);
    if (auto* found = std::get_if<protocol::JobResult>(&*message)) result = *found;
  }
  EXPECT_EQ(result->record.verdict, protocol::Verdict::kRobust);
  client.close();
  const auto status = process->wait(60s);
  ASSERT_TRUE(status);
  EXPECT_TRUE(status->success()) << status->text();
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path() / "scratch")) << "it leaves nothing behind";
}

TEST_F(ProgramTest, RemovesTheScratchFolderOfAKilledWorker) {
  const auto scratch = folder_.path() / "scratch";
  const auto options = call({"--connect", "ipc://" + (folder_.path() / "nobody").string(), "--devices", "cpu",
                             "--runner", AUTOKERNEL_FAKE_RUNNER});
  auto killed = system::ChildProcess::start(options);
  ASSERT_TRUE(killed);
  const auto has_log = [&] {
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(scratch, error)) {
      if (std::filesystem::exists(entry.path() / "runner.log", error)) return true;
    }
    return false;
  };
  while (!has_log()) ASSERT_FALSE(killed->wait(1ms));
  killed->send_signal(SIGKILL);
  ASSERT_TRUE(killed->wait(60s));
  ASSERT_FALSE(std::filesystem::is_empty(scratch));

  EXPECT_EQ(run({"--connect", "tcp://127.0.0.1:1", "--devices", "cpu", "--runner", "/nowhere/runner"}).exit_code, 3);
  EXPECT_TRUE(std::filesystem::is_empty(scratch));
}

TEST_F(ProgramTest, EndsOnSigtermWithoutACoordinator) {
  auto process = system::ChildProcess::start(call({"--connect", "ipc://" + (folder_.path() / "nobody").string(),
                                                   "--devices", "cpu", "--runner", AUTOKERNEL_FAKE_RUNNER}));
  ASSERT_TRUE(process);
  while (!std::filesystem::exists(folder_.path() / "cache/CACHEDIR.TAG")) {
    ASSERT_FALSE(process->wait(1ms)) << "it handles signals by the time this file is there";
  }
  process->send_signal(SIGTERM);
  const auto status = process->wait(60s);
  ASSERT_TRUE(status);
  EXPECT_TRUE(status->success()) << status->text();
}

}  // namespace
}  // namespace autokernel
