#include "common/system/owned_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <vector>

#include "common/system/file.hpp"

namespace autokernel::system {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kUniquePart = "XXXXXX";  // make_unique_folder's
constexpr const char* kLockFile = OwnedFolder::kLockFile.data();
constexpr const char* kUnlockedFile = ".owner.new";

std::string host_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "";
  return name.data();
}

/// The lock file gets its name only once it is locked: seen under that name and free, its owner is dead.
Result<UniqueFd> lock_fresh(const fs::path& folder) {
  const auto failed = [&] {
    const int error = errno;
    return fail(code_of_write(error), "cannot lock '{}': {}", folder.string(), std::strerror(error));
  };
  const fs::path unlocked = folder / kUnlockedFile;
  UniqueFd fd(::open(unlocked.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!fd.valid()) return failed();
  const std::string host = host_name();
  if (::write(fd.get(), host.data(), host.size()) != static_cast<ssize_t>(host.size())) return failed();
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) return failed();
  if (::rename(unlocked.c_str(), (folder / kLockFile).c_str()) != 0) return failed();
  return fd;
}

/// The lock file goes last: killed half-way, the rest still counts as abandoned.
void remove_locked(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> entries;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    if (entry->path().filename() != kLockFile) entries.push_back(entry->path());
  }
  for (const fs::path& entry : entries) fs::remove_all(entry, error);
  fs::remove_all(folder, error);  // and what a process that is still dying added meanwhile
}

bool is_unique_name(const std::string& file, const std::string& name) {
  if (file.size() != name.size() + 1 + kUniquePart.size()) return false;
  return file.rfind(name + "-", 0) == 0 && std::all_of(file.end() - kUniquePart.size(), file.end(), [](char letter) {
           return std::isalnum(static_cast<unsigned char>(letter)) != 0;
         });
}

/// The lock of a dead owner; nothing where the owner lives, or where the folder is not ours to judge.
UniqueFd lock_of_dead_owner(const fs::path& path) {
  const UniqueFd folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat status {};
  if (!folder.valid() || ::fstat(folder.get(), &status) != 0 || status.st_uid != ::geteuid()) return {};
  UniqueFd fd(::openat(folder.get(), kLockFile, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!fd.valid() || ::fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode) || status.st_uid != ::geteuid()) {
    return {};
  }
  std::array<char, 256> host{};
  const ssize_t size = ::pread(fd.get(), host.data(), host.size(), 0);
  if (size < 0 || host_name() != std::string_view(host.data(), static_cast<std::size_t>(size))) return {};
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) return {};
  // Somebody else may have removed the folder between the two calls, and another may have its name by now.
  if (::fstat(fd.get(), &status) != 0 || status.st_nlink == 0) return {};
  return fd;
}

}  // namespace

Result<OwnedFolder> OwnedFolder::make(const fs::path& parent, const std::string& name) {
  remove_abandoned_folders(parent, name);
  AUTOKERNEL_TRY_ASSIGN(const fs::path path, make_unique_folder(parent, name));
  auto lock = lock_fresh(path);
  if (!lock) {
    std::error_code ignored;
    fs::remove_all(path, ignored);
    return tl::unexpected(std::move(lock).error());
  }
  return OwnedFolder(path, *std::move(lock));
}

OwnedFolder::~OwnedFolder() {
  if (!path_.empty()) remove_locked(path_);
}

std::size_t remove_abandoned_folders(const fs::path& parent, const std::string& name) {
  std::size_t removed = 0;
  std::error_code error;
  for (fs::directory_iterator entry(parent, error), end; !error && entry != end; entry.increment(error)) {
    if (!is_unique_name(entry->path().filename().string(), name)) continue;
    const UniqueFd lock = lock_of_dead_owner(entry->path());
    if (!lock.valid()) continue;
    remove_locked(entry->path());
    ++removed;
  }
  return removed;
}

}  // namespace autokernel::system
