#include "common/system/file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "tests/support/temporary_folder.hpp"

namespace autokernel::system {
namespace {

using test::TemporaryFolder;
using testing::HasSubstr;

constexpr std::size_t kPlenty = 1U << 20U;

void write_raw(const std::filesystem::path& path, std::string_view bytes) { std::ofstream(path) << bytes; }

TEST(WriteFile, IsReadBackAsWritten) {
  const TemporaryFolder folder;
  const std::string bytes("a\0b\n", 4);
  ASSERT_TRUE(write_file(folder / "file", bytes));
  EXPECT_EQ(read_file(folder / "file", kPlenty).value(), bytes);
}

TEST(WriteFile, ReplacesAndLeavesNoTemporaryBehind) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_file(folder / "file", "old and longer"));
  ASSERT_TRUE(write_file(folder / "file", "new"));
  EXPECT_EQ(read_file(folder / "file", kPlenty).value(), "new");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

TEST(WriteFile, NamesTheFolderThatIsNotThere) {
  const TemporaryFolder folder;
  const auto result = write_file(folder / "missing/file", "text");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Code::kUnavailable);
  EXPECT_THAT(result.error().message, HasSubstr("missing/file"));
}

TEST(ReadFile, TellsMissingFromBigFromNoFile) {
  const TemporaryFolder folder;
  write_raw(folder / "big", std::string(100, 'x'));
  EXPECT_EQ(read_file(folder / "missing", kPlenty).error().code, Code::kNotFound);
  EXPECT_EQ(read_file(folder.path(), kPlenty).error().code, Code::kInvalid);
  EXPECT_EQ(read_file(folder / "big", 99).error().code, Code::kInvalid);
  EXPECT_TRUE(read_file(folder / "big", 100));
}

TEST(ReadFile, RefusesAPipeInsteadOfWaitingForIt) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(read_file(folder / "pipe", kPlenty).error().code, Code::kInvalid);
}

TEST(AppendLine, AddsOneLineEach) {
  const TemporaryFolder folder;
  ASSERT_TRUE(append_line(folder / "lines", "one"));
  ASSERT_TRUE(append_line(folder / "lines", "two"));
  EXPECT_EQ(read_file(folder / "lines", kPlenty).value(), "one\ntwo\n");
}

TEST(AppendLine, LeavesALineThatWasCutShortOnItsOwn) {
  const TemporaryFolder folder;
  write_raw(folder / "lines", "one\ntw");
  ASSERT_TRUE(append_line(folder / "lines", "three"));
  EXPECT_EQ(read_file(folder / "lines", kPlenty).value(), "one\ntw\nthree\n");
}

TEST(AppendLine, SaysWhenTheDiskIsFull) {
  const auto result = append_line("/dev/full", "text");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Code::kExhausted);
}

TEST(MakeFolders, MakesParentsAndIsContentWhenTheyExist) {
  const TemporaryFolder folder;
  EXPECT_TRUE(make_folders(folder / "a/b/c"));
  EXPECT_TRUE(make_folders(folder / "a/b/c"));
  write_raw(folder / "file", "");
  EXPECT_FALSE(make_folders(folder / "file/below"));
}

TEST(FreeBytes, AsksTheNearestParentThatExists) {
  const TemporaryFolder folder;
  EXPECT_GT(free_bytes(folder / "not/yet/there").value(), 0U);
}

TEST(FileLock, IsHeldByOneAtATime) {
  const TemporaryFolder folder;
  auto first = FileLock::try_acquire(folder / "lock");
  ASSERT_TRUE(first.value());
  EXPECT_FALSE(FileLock::try_acquire(folder / "lock").value());
  first->reset();
  EXPECT_TRUE(FileLock::try_acquire(folder / "lock").value());
}

TEST(FileLock, SharedOnesStandBesideEachOtherAndKeepAnExclusiveOneOut) {
  const TemporaryFolder folder;
  auto first = FileLock::try_acquire(folder / "lock");
  ASSERT_TRUE(first.value());
  EXPECT_FALSE(FileLock::try_acquire_shared(folder / "lock").value());
  ASSERT_TRUE((*first)->share());
  auto second = FileLock::try_acquire_shared(folder / "lock");
  ASSERT_TRUE(second.value());
  first->reset();
  EXPECT_FALSE(FileLock::try_acquire(folder / "lock").value());
  second->reset();
  EXPECT_TRUE(FileLock::try_acquire(folder / "lock").value());
}

}  // namespace
}  // namespace autokernel::system
