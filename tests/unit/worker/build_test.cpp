#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <future>
#include <thread>

#include "fake_node.hpp"
#include "worker/compile/builder_pool.hpp"

namespace autokernel::compile {
namespace {

using namespace std::chrono_literals;
using messages::BuildOutcome;
using testing::HasSubstr;

BuildRequest native(const std::string& text) { return {protocol::Language::kCpp, text, {}}; }
BuildRequest python(const std::string& text) { return {protocol::Language::kPython, text, {}}; }

/// How many builder processes wrote into this build's artefacts.
int builds_of(const BuildResult& result) {
  std::ifstream file(result.artefact_folder / "built.txt");
  int lines = 0;
  for (std::string line; std::getline(file, line);) ++lines;
  return lines;
}

TEST(BuildKey, ChangesWithWhateverCanChangeTheBuild) {
  const Toolchain toolchain{{{"torch", "2.11"}}, "c++ 12", "header"};
  const BuildRequest request{protocol::Language::kCuda, "text", {"9.0"}};
  const std::string key = build_key(request, toolchain);
  EXPECT_EQ(build_key(request, toolchain), key);
  EXPECT_NE(build_key({protocol::Language::kCuda, "text", {"8.0"}}, toolchain), key);
  EXPECT_NE(build_key({protocol::Language::kHip, "text", {"9.0"}}, toolchain), key);
  EXPECT_NE(build_key(request, {{{"torch", "2.12"}}, "c++ 12", "header"}), key);
  EXPECT_NE(build_key(request, {{{"torch", "2.11"}}, "c++ 13", "header"}), key);
  EXPECT_NE(build_key(request, {{{"torch", "2.11"}}, "c++ 12", "header2"}), key);
}

TEST(NeedsBuilder, OnlyForNativeSourcesAndTorchExtensions) {
  EXPECT_TRUE(needs_builder(protocol::Language::kCpp, ""));
  EXPECT_TRUE(needs_builder(protocol::Language::kPython, "m = load_inline(name='m')"));
  EXPECT_TRUE(needs_builder(protocol::Language::kPython, "import torch.utils.cpp_extension as e"));
  EXPECT_FALSE(needs_builder(protocol::Language::kPython, "import triton\nclass ModelNew: pass"));
}

TEST(Builder, BuildsOnceAndAnswersFromTheCacheAfterwards) {
  const test::FakeNode node;
  const Builder builder = node.builder();
  runner_process::Cancellation never;
  EXPECT_FALSE(builder.without_process(native("OK")));
  const BuildResult first = builder.build(native("OK"), never);
  EXPECT_EQ(first.outcome, BuildOutcome::kBuilt);
  EXPECT_FALSE(first.cached);
  EXPECT_FALSE(first.artefact_digest.empty());

  const auto second = builder.without_process(native("OK"));
  ASSERT_TRUE(second);
  EXPECT_TRUE(second->cached);
  EXPECT_EQ(second->artefact_digest, first.artefact_digest);
  EXPECT_EQ(second->artefact_folder, first.artefact_folder);
  EXPECT_EQ(builds_of(*second), 1);
}

TEST(Builder, StartsNoProcessForPlainPython) {
  const test::FakeNode node;
  const auto result = node.builder().without_process(python("class ModelNew: pass"));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->outcome, BuildOutcome::kBuilt);
  EXPECT_TRUE(std::filesystem::exists(result->source_path));
  EXPECT_TRUE(std::filesystem::is_directory(result->artefact_folder));
  EXPECT_EQ(builds_of(*result), 0);
}

TEST(Builder, KeepsCompileErrorsSinceTheSameSourceFailsTheSameWay) {
  const test::FakeNode node;
  const Builder builder = node.builder();
  runner_process::Cancellation never;
  const BuildResult first = builder.build(native("COMPILE ERROR"), never);
  EXPECT_EQ(first.outcome, BuildOutcome::kCompileError);
  const auto second = builder.without_process(native("COMPILE ERROR"));
  ASSERT_TRUE(second);
  EXPECT_EQ(second->outcome, BuildOutcome::kCompileError);
  EXPECT_EQ(second->detail, "candidate.cpp:3: error: expected a ';'") << "without the cache's folder";
}

TEST(Builder, DoesNotKeepWhatThisMachineLacks) {
  const test::FakeNode node;
  const Builder builder = node.builder();
  runner_process::Cancellation never;
  EXPECT_EQ(builder.build(native("NO COMPILER"), never).outcome, BuildOutcome::kMissingTool);
  EXPECT_FALSE(builder.without_process(native("NO COMPILER")));
}

TEST(Builder, StopsABuildAtItsLimitAndDoesBuildItAgainNextTime) {
  const test::FakeNode node;
  auto settings = node.builder_settings();
  settings.limit = 0s;
  const Builder builder(*node.zygote, node.cache, {}, settings, nullptr);
  runner_process::Cancellation never;
  const BuildResult result = builder.build(native("BUILD HANG"), never);
  EXPECT_EQ(result.outcome, BuildOutcome::kCompileError);
  EXPECT_THAT(result.detail, HasSubstr("exceeded 0 s"));
  EXPECT_FALSE(builder.without_process(native("BUILD HANG"))) << "a slow machine is not the source's fault for ever";
}

TEST(Builder, LeavesAnImportThatCrashesToTheLane) {
  const test::FakeNode node;
  runner_process::Cancellation never;
  const BuildResult result = node.builder().build(python("load_inline BUILD CRASH"), never);
  EXPECT_EQ(result.outcome, BuildOutcome::kBuilt);
  EXPECT_THAT(result.detail, HasSubstr("SIGSEGV"));
}

TEST(Builder, DoesNotBlameANativeSourceForABuilderThatDied) {
  const test::FakeNode node;
  runner_process::Cancellation never;
  EXPECT_EQ(node.builder().build(native("BUILD CRASH"), never).outcome, BuildOutcome::kMissingTool);
}

TEST(Builder, EndsABuildThatIsCancelled) {
  const test::FakeNode node;
  const Builder builder = node.builder();
  runner_process::Cancellation cancellation;
  auto running = std::async(std::launch::async, [&] { return builder.build(native("BUILD HANG"), cancellation); });
  cancellation.cancel();
  running.get();  // returns: the child was killed, or never started
}

TEST(Builder, SaysWhenTheCacheCannotBeWritten) {
  const test::FakeNode node;
  ASSERT_TRUE(system::write_file(node.folder.path() / "file", ""));
  const Builder builder(*node.zygote, BuildCache(node.folder.path() / "file"), {}, node.builder_settings(), nullptr);
  runner_process::Cancellation never;
  const BuildResult result = builder.build(native("OK"), never);
  EXPECT_EQ(result.outcome, BuildOutcome::kMissingTool);
  EXPECT_THAT(result.detail, HasSubstr((node.folder.path() / "file").string()));
}

TEST(BuildCache, ABuildThatWasInterruptedIsNotThere) {
  const test::TemporaryFolder folder;
  const BuildCache cache(folder.path());
  ASSERT_TRUE(cache.begin("abcd", ".cpp", "text"));
  EXPECT_FALSE(cache.find("abcd"));
  ASSERT_TRUE(system::write_file(cache.artefact_folder("abcd") / "half.so", "x"));
  ASSERT_TRUE(cache.begin("abcd", ".cpp", "text"));
  EXPECT_EQ(cache.digest_artefacts("abcd"), "") << "what the interrupted one left is cleared";
  ASSERT_TRUE(cache.finish("abcd", {}));
  EXPECT_TRUE(cache.find("abcd"));
}

TEST(BuildCache, AManifestThatDoesNotParseCountsAsAbsent) {
  const test::TemporaryFolder folder;
  const BuildCache cache(folder.path());
  ASSERT_TRUE(cache.begin("abcd", ".cpp", "text"));
  ASSERT_TRUE(system::write_file(cache.artefact_folder("abcd").parent_path() / "built.msgpack", "\xc1junk"));
  EXPECT_FALSE(cache.find("abcd"));
}

/// The build of another process: own runner, same cache. Its exit code is the number of builds that left a trace.
int build_in_another_process(const std::filesystem::path& cache, const std::filesystem::path& folder,
                             const std::string& text) {
  if (!system::make_folders(folder)) return 99;
  auto zygote = runner_process::Zygote::start(test::fake_zygote_options(folder));
  if (!zygote) return 100;
  BuilderSettings settings;
  settings.scratch = folder;
  const Builder builder(**zygote, BuildCache(cache), {}, settings, nullptr);
  runner_process::Cancellation never;
  return builds_of(builder.build(native(text), never));
}

TEST(BuildCache, TwoProcessesThatRaceForOneKeyBuildItOnce) {
  const test::TemporaryFolder folder;
  for (int round = 0; round < 5; ++round) {
    std::vector<pid_t> children;
    for (int i = 0; i < 2; ++i) {
      const pid_t pid = ::fork();
      ASSERT_GE(pid, 0);
      const auto text = fmt::format("OK {}", round);
      if (pid == 0) ::_exit(build_in_another_process(folder.path() / "cache", folder.path() / std::to_string(i), text));
      children.push_back(pid);
    }
    for (const pid_t pid : children) {
      int status = 0;
      ASSERT_EQ(::waitpid(pid, &status, 0), pid);
      EXPECT_EQ(WEXITSTATUS(status), 1);
    }
  }
}

TEST(BuilderPool, BuildsEachTaskOnceOnItsThreads) {
  const test::FakeNode node;
  const Builder builder = node.builder();
  std::promise<BuildResult> done;
  std::atomic<int> begun{0};
  BuilderPool pool(builder, 2);
  BuildTask task;
  task.request = native("OK");
  task.cancellation = std::make_shared<runner_process::Cancellation>();
  task.begun = [&] { ++begun; };
  task.done = [&](BuildResult result) { done.set_value(std::move(result)); };
  task.dropped = [] { FAIL(); };
  pool.submit(std::move(task));
  EXPECT_EQ(done.get_future().get().outcome, BuildOutcome::kBuilt);
  EXPECT_EQ(begun.load(), 1);
}

TEST(BuilderPool, DropsATaskThatWasCancelledBeforeItsTurn) {
  const test::FakeNode node;
  const Builder builder = node.builder();
  std::promise<void> dropped;
  BuilderPool pool(builder, 1);
  BuildTask task;
  task.request = native("OK");
  task.cancellation = std::make_shared<runner_process::Cancellation>();
  task.cancellation->cancel();
  task.begun = [] { FAIL(); };
  task.done = [](const BuildResult&) { FAIL(); };
  task.dropped = [&] { dropped.set_value(); };
  pool.submit(std::move(task));
  dropped.get_future().get();
}

TEST(CpuGate, ALaneHasItAloneAndGoesBeforeBuildsThatWait) {
  CpuGate gate;
  std::atomic<int> inside{0};
  std::atomic<bool> mixed{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int turn = 0; turn < 200; ++turn) {
        const CpuGate::Shared share(&gate);
        inside.fetch_add(1);
        inside.fetch_sub(1);
      }
    });
  }
  for (int turn = 0; turn < 200; ++turn) {
    const CpuGate::Exclusive alone(&gate);
    if (inside.load() != 0) mixed = true;
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_FALSE(mixed.load());
}

}  // namespace
}  // namespace autokernel::compile
