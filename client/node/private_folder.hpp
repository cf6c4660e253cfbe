#pragma once

#include <filesystem>
#include <utility>

#include "common/result/result.hpp"

namespace autokernel::client {

/// A fresh folder under /tmp that only this user may enter, for sockets: their paths must be short (107 bytes), and a
/// run folder's need not be. Removed with everything in it by the destructor.
class PrivateFolder {
 public:
  [[nodiscard]] static Result<PrivateFolder> make();
  PrivateFolder(PrivateFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  PrivateFolder& operator=(PrivateFolder&&) = delete;
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;
  ~PrivateFolder();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  /// Removes what a killed process left; does nothing to a path that make() would not have made.
  static void remove_leftover(const std::filesystem::path& path);

 private:
  explicit PrivateFolder(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
};

}  // namespace autokernel::client
