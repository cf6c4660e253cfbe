#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "common/result/result.hpp"
#include "common/system/fd.hpp"

namespace autokernel::system {

/// A fresh folder that only this user may enter, for the life of one process. The destructor removes it with everything
/// in it; what a killed process leaves, the next make() of the same name removes.
///
/// Who lives is told by an flock(2) on a file in the folder, which ends with its process however that ends. A process
/// id would not tell: ids are used again, and differ between containers that share a folder.
class OwnedFolder {
 public:
  /// PARENT/NAME-XXXXXX. Blocks for as long as abandoned ones take to remove. kExhausted: the disk is full.
  /// kUnavailable: `parent` is not writable.
  [[nodiscard]] static Result<OwnedFolder> make(const std::filesystem::path& parent, const std::string& name);

  OwnedFolder(OwnedFolder&& other) noexcept : path_(std::exchange(other.path_, {})), lock_(std::move(other.lock_)) {}
  OwnedFolder& operator=(OwnedFolder&&) = delete;
  OwnedFolder(const OwnedFolder&) = delete;
  OwnedFolder& operator=(const OwnedFolder&) = delete;
  ~OwnedFolder();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  /// The name of the lock file in the folder. It holds the host's name: on a network file system a lock may be unknown
  /// to other hosts, so they leave the folder alone.
  static constexpr std::string_view kLockFile = ".owner";

 private:
  OwnedFolder(std::filesystem::path path, UniqueFd lock) : path_(std::move(path)), lock_(std::move(lock)) {}
  std::filesystem::path path_;
  UniqueFd lock_;
};

/// Removes what make(parent, name) once made here for this user and whose process is gone; make() calls it. Returns how
/// many those were. Leaves alone what another user owns, what has another name, no lock file or another host's, and
/// every link.
std::size_t remove_abandoned_folders(const std::filesystem::path& parent, const std::string& name);

}  // namespace autokernel::system
