#include "worker/compile/cache_trimmer.hpp"

#include <gmock/gmock.h>

#include "fake_node.hpp"

namespace autokernel::compile {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kEach = 10'000;  ///< bytes of an artefact, and more than a manifest and a source take

class CacheTrimmerTest : public testing::Test {
 protected:
  /// An entry that was used so long ago.
  void put(const std::string& key, std::chrono::hours age) {
    ASSERT_TRUE(cache_.begin(key, ".cpp", "text"));
    ASSERT_TRUE(system::write_file(cache_.artefact_folder(key) / "kernel.so", std::string(kEach, 'x')));
    ASSERT_TRUE(cache_.finish(key, {}));
    set_age(key, age);
  }
  void set_age(const std::string& key, std::chrono::hours age) {
    std::filesystem::last_write_time(cache_.artefact_folder(key).parent_path() / "built.msgpack", start_ - age);
  }
  [[nodiscard]] bool has(const std::string& key) const { return std::filesystem::exists(cache_.artefact_folder(key)); }

  const test::TemporaryFolder folder_;
  const BuildCache cache_{folder_.path() / "builds"};
  const std::filesystem::file_time_type start_ = std::filesystem::file_time_type::clock::now();
};

TEST_F(CacheTrimmerTest, RemovesTheLeastRecentlyUsedUntilTheRestFits) {
  put("aaa1", 2h);
  put("aab2", 4h);
  put("bbc3", 1h);
  put("ccd4", 3h);
  const Trimmed trimmed = trim(cache_, 3 * kEach);
  EXPECT_EQ(trimmed.entries, 2U);
  EXPECT_FALSE(has("aab2"));
  EXPECT_FALSE(has("ccd4"));
  EXPECT_TRUE(cache_.find("aaa1"));
  EXPECT_TRUE(cache_.find("bbc3"));
  EXPECT_LE(trimmed.bytes_left, 3 * kEach);
  EXPECT_GE(trimmed.bytes, 2 * kEach);
}

TEST_F(CacheTrimmerTest, RemovesNothingThatFits) {
  put("aaa1", 9h);
  EXPECT_EQ(trim(cache_, 2 * kEach).entries, 0U);
  EXPECT_TRUE(cache_.find("aaa1"));
}

TEST_F(CacheTrimmerTest, AHitCountsAsAUse) {
  put("aaa1", 9h);
  put("aab2", 8h);
  ASSERT_TRUE(cache_.use("aaa1"));
  EXPECT_EQ(trim(cache_, kEach + kEach / 2).entries, 1U);
  EXPECT_TRUE(cache_.find("aaa1"));
  EXPECT_FALSE(has("aab2"));
}

TEST_F(CacheTrimmerTest, LeavesWhatIsInUseHoweverOldItIs) {
  put("aaa1", 9h);
  put("aab2", 1h);
  const auto hit = cache_.use("aaa1");
  ASSERT_TRUE(hit);
  set_age("aaa1", 9h);
  const Trimmed trimmed = trim(cache_, 0);
  EXPECT_EQ(trimmed.entries, 1U);
  EXPECT_GE(trimmed.bytes_left, kEach);
  EXPECT_TRUE(cache_.find("aaa1"));
  EXPECT_FALSE(has("aab2"));
}

TEST_F(CacheTrimmerTest, LeavesWhatIsBeingBuilt) {
  const auto lock = cache_.try_lock("aaa1");
  ASSERT_TRUE(lock && *lock);
  ASSERT_TRUE(cache_.begin("aaa1", ".cpp", std::string(kEach, 'x')));
  EXPECT_EQ(trim(cache_, 0).entries, 0U);
  EXPECT_TRUE(has("aaa1"));
}

TEST_F(CacheTrimmerTest, RemovesWhatAnInterruptedBuildLeft) {
  ASSERT_TRUE(cache_.begin("aaa1", ".cpp", std::string(kEach, 'x')));
  EXPECT_EQ(trim(cache_, 0).entries, 1U);
  EXPECT_FALSE(has("aaa1"));
}

TEST_F(CacheTrimmerTest, WhatIsGoneCanBeBuiltAgain) {
  put("aaa1", 1h);
  trim(cache_, 0);
  EXPECT_FALSE(cache_.use("aaa1"));
  put("aaa1", 0h);
  EXPECT_TRUE(cache_.use("aaa1"));
}

TEST_F(CacheTrimmerTest, LeavesWhatIsNoEntry) {
  std::filesystem::create_directories(folder_.path() / "builds/aa/bbbb");
  std::filesystem::create_directories(folder_.path() / "builds/notes");
  ASSERT_TRUE(system::write_file(folder_.path() / "builds/notes/mine.txt", "mine"));
  EXPECT_EQ(trim(cache_, 0).entries, 0U);
  EXPECT_TRUE(std::filesystem::exists(folder_.path() / "builds/aa/bbbb"));
  EXPECT_TRUE(std::filesystem::exists(folder_.path() / "builds/notes/mine.txt"));
  EXPECT_EQ(trim(BuildCache(folder_.path() / "nowhere"), 0).entries, 0U);
}

TEST_F(CacheTrimmerTest, LooksAtOnceAndThenOncePerPause) {
  ManualClock clock;
  CacheTrimmer trimmer(clock, cache_, 1);
  put("aaa1", 1h);
  EXPECT_TRUE(trimmer.built());
  EXPECT_FALSE(has("aaa1"));
  put("aaa1", 1h);
  clock.advance(CacheTrimmer::kPause - 1s);
  EXPECT_FALSE(trimmer.built());
  EXPECT_TRUE(has("aaa1"));
  clock.advance(1s);
  EXPECT_TRUE(trimmer.built());
  EXPECT_FALSE(has("aaa1"));
}

TEST_F(CacheTrimmerTest, ALimitOf0IsNoLimit) {
  const ManualClock clock;
  put("aaa1", 1h);
  EXPECT_FALSE(CacheTrimmer(clock, cache_, 0).built());
  EXPECT_TRUE(has("aaa1"));
}

TEST_F(CacheTrimmerTest, ABuildsResultKeepsItsFilesUntilItIsGone) {
  const test::FakeNode node;
  const Builder builder = node.builder();
  runner_process::Cancellation never;
  {
    const BuildResult built = builder.build({protocol::Language::kCpp, "OK", {}}, never);
    const auto cached = builder.without_process({protocol::Language::kCpp, "OK", {}});
    const auto plain = builder.without_process({protocol::Language::kPython, "class ModelNew: pass", {}});
    ASSERT_TRUE(cached && plain);
    EXPECT_EQ(trim(node.cache, 0).entries, 0U);
    EXPECT_TRUE(std::filesystem::exists(plain->source_path));
    EXPECT_TRUE(std::filesystem::exists(built.source_path));
  }
  EXPECT_EQ(trim(node.cache, 0).entries, 2U);
  EXPECT_FALSE(builder.without_process({protocol::Language::kCpp, "OK", {}})) << "to be built again";
}

TEST_F(CacheTrimmerTest, IsAskedAfterABuild) {
  const test::FakeNode node;
  const ManualClock clock;
  CacheTrimmer trimmer(clock, node.cache, 1);
  auto settings = node.builder_settings();
  settings.trimmer = &trimmer;
  const Builder builder(*node.zygote, node.cache, {}, settings, nullptr);
  ASSERT_TRUE(node.cache.begin("aaa1", ".cpp", std::string(kEach, 'x')));
  runner_process::Cancellation never;
  const BuildResult built = builder.build({protocol::Language::kCpp, "OK", {}}, never);
  EXPECT_FALSE(std::filesystem::exists(node.cache.artefact_folder("aaa1")));
  EXPECT_TRUE(std::filesystem::exists(built.source_path)) << "its own files are in use";
}

}  // namespace
}  // namespace autokernel::compile
