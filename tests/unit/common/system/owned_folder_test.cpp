#include "common/system/owned_folder.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "common/system/process.hpp"
#include "tests/support/temporary_folder.hpp"

namespace autokernel::system {
namespace {

namespace fs = std::filesystem;

/// A process that makes a folder in `parent` and lives until it is killed.
class Owner {
 public:
  explicit Owner(const fs::path& parent, const std::string& name = "work") {
    std::array<int, 2> report{};
    EXPECT_EQ(::pipe(report.data()), 0);
    pid_ = ::fork();
    if (pid_ == 0) {
      const auto folder = OwnedFolder::make(parent, name);
      if (!folder) ::_exit(1);
      std::ofstream(folder->path() / "data") << "something";
      fs::create_directories(folder->path() / "deep" / "deeper");
      const std::string path = folder->path().string();
      if (::write(report[1], path.data(), path.size()) < 0) ::_exit(1);
      ::close(report[1]);
      for (;;) ::pause();
    }
    ::close(report[1]);
    std::array<char, 4096> text{};
    const ssize_t size = ::read(report[0], text.data(), text.size());
    ::close(report[0]);
    path_ = std::string(text.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
  }
  Owner(const Owner&) = delete;
  Owner& operator=(const Owner&) = delete;
  ~Owner() { kill(); }

  [[nodiscard]] const fs::path& path() const { return path_; }
  void kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }

 private:
  pid_t pid_ = -1;
  fs::path path_;
};

class OwnedFolderTest : public ::testing::Test {
 protected:
  /// What a killed process leaves, ready to be changed in one respect.
  fs::path abandoned() {
    Owner owner(parent_.path());
    owner.kill();
    EXPECT_TRUE(fs::exists(owner.path() / OwnedFolder::kLockFile));
    return owner.path();
  }
  std::size_t remove_abandoned() { return remove_abandoned_folders(parent_.path(), "work"); }

  const test::TemporaryFolder parent_;
};

TEST_F(OwnedFolderTest, IsForThisUserAloneAndGoesAwayWithItsContents) {
  fs::path path;
  {
    const auto folder = OwnedFolder::make(parent_.path() / "new", "work");
    ASSERT_TRUE(folder) << folder.error().message;
    path = folder->path();
    EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_all);
    std::ofstream(path / "data") << "something";
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST_F(OwnedFolderTest, TheNextOneRemovesWhatAKilledProcessLeft) {
  const fs::path left = abandoned();
  const auto next = OwnedFolder::make(parent_.path(), "work");
  ASSERT_TRUE(next);
  EXPECT_FALSE(fs::exists(left));
  EXPECT_TRUE(fs::exists(next->path()));
}

TEST_F(OwnedFolderTest, LeavesALivingProcessItsFolder) {
  Owner owner(parent_.path());
  const auto next = OwnedFolder::make(parent_.path(), "work");
  ASSERT_TRUE(next);
  EXPECT_TRUE(fs::exists(owner.path() / "data"));
  EXPECT_EQ(remove_abandoned(), 0U) << "its own neither";
  owner.kill();
  EXPECT_EQ(remove_abandoned(), 1U);
  EXPECT_FALSE(fs::exists(owner.path()));
}

TEST_F(OwnedFolderTest, AProgramThatOutlivesTheOwnerDoesNotKeepTheFolder) {
  // The owner starts it, says its id in a file, and is killed; the program sleeps on with whatever it inherited.
  const pid_t owner = ::fork();
  if (owner == 0) {
    const auto folder = OwnedFolder::make(parent_.path(), "work");
    ProcessOptions options;
    options.arguments = {"sleep", "600"};
    options.die_with_parent = false;
    const auto program = ChildProcess::start(options);
    if (!folder || !program) ::_exit(1);
    std::ofstream(parent_ / "program") << program->pid();
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(owner, &status, 0), owner);
  ASSERT_TRUE(WIFSIGNALED(status));
  pid_t program = 0;
  std::ifstream(parent_ / "program") >> program;
  ASSERT_GT(program, 0);
  EXPECT_EQ(::kill(program, 0), 0);
  EXPECT_EQ(remove_abandoned(), 1U);
  ::kill(program, SIGKILL);
}

TEST_F(OwnedFolderTest, FinishesARemovalThatWasCutShort) {
  const fs::path left = abandoned();
  fs::remove_all(left / "deep");
  EXPECT_EQ(remove_abandoned(), 1U);
  EXPECT_FALSE(fs::exists(left));
}

TEST_F(OwnedFolderTest, LeavesAFolderWithoutALockFile) {
  const fs::path left = abandoned();
  fs::remove(left / OwnedFolder::kLockFile);
  EXPECT_EQ(remove_abandoned(), 0U);
  EXPECT_TRUE(fs::exists(left / "data"));
}

TEST_F(OwnedFolderTest, LeavesAFolderOfAnotherHost) {
  const fs::path left = abandoned();
  std::ofstream(left / OwnedFolder::kLockFile) << "another.example";
  EXPECT_EQ(remove_abandoned(), 0U);
  EXPECT_TRUE(fs::exists(left / "data"));
}

TEST_F(OwnedFolderTest, LeavesOtherNames) {
  const fs::path left = abandoned();
  const std::string unique = left.filename().string().substr(5);
  const std::vector<std::string> names{"work-" + unique + "x", "work-12-456", "works-" + unique, "work" + unique};
  for (const std::string& name : names) {
    fs::copy(left, parent_ / name, fs::copy_options::recursive);
    EXPECT_EQ(remove_abandoned_folders(parent_.path(), "wor"), 0U);
  }
  EXPECT_EQ(remove_abandoned(), 1U);
  EXPECT_EQ(std::distance(fs::directory_iterator(parent_.path()), {}), 4);
}

TEST_F(OwnedFolderTest, LeavesALinkAndWhatItLeadsTo) {
  const test::TemporaryFolder elsewhere;
  const fs::path left = abandoned();
  fs::copy(left, elsewhere / "target", fs::copy_options::recursive);
  fs::remove_all(left);
  fs::create_directory_symlink(elsewhere / "target", left);
  EXPECT_EQ(remove_abandoned(), 0U);
  EXPECT_TRUE(fs::exists(elsewhere / "target" / "data"));
}

TEST_F(OwnedFolderTest, LeavesAFolderOfAnotherUser) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a folder away";
  const fs::path left = abandoned();
  ASSERT_EQ(::chown(left.c_str(), 1, 1), 0);
  EXPECT_EQ(remove_abandoned(), 0U);
  EXPECT_TRUE(fs::exists(left / "data"));
}

TEST_F(OwnedFolderTest, NamesAParentThatCannotBeWritten) {
  std::ofstream(parent_ / "file") << "no folder";
  const auto folder = OwnedFolder::make(parent_ / "file", "work");
  ASSERT_FALSE(folder);
  EXPECT_NE(folder.error().message.find("file"), std::string::npos);
}

}  // namespace
}  // namespace autokernel::system
