#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "common/result/result.hpp"
#include "common/system/fd.hpp"

namespace autokernel::system {

/// A whole file. kNotFound: missing. kInvalid: not a regular file, or over `max_bytes`. kUnavailable: not readable.
[[nodiscard]] Result<std::string> read_file(const std::filesystem::path& path, std::size_t max_bytes);

/// Replaces the file in one step (temporary file, fsync, rename): a reader sees the old or the new, never a part.
/// kExhausted: the disk is full. kUnavailable: the folder is not writable.
[[nodiscard]] Result<void> write_file(const std::filesystem::path& path, std::string_view bytes);

/// Adds one line and syncs it to the disk before returning; one writer at a time. A line that an earlier writer left
/// cut short stays a line of its own.
[[nodiscard]] Result<void> append_line(const std::filesystem::path& path, std::string_view line);

[[nodiscard]] Result<void> make_folders(const std::filesystem::path& path);

/// Bytes free for this user on the file system that holds `path` (or its nearest existing parent).
[[nodiscard]] Result<std::uint64_t> free_bytes(const std::filesystem::path& path);

/// PARENT/NAME-XXXXXX, made unique, for this user only; the parent is made when missing. kExhausted: the disk is full.
/// kUnavailable: `parent` is not writable.
[[nodiscard]] Result<std::filesystem::path> make_unique_folder(const std::filesystem::path& parent,
                                                               const std::string& name);

/// What a failed write's errno tells the caller to do: kExhausted for a full disk, else kUnavailable.
[[nodiscard]] Code code_of_write(int error);

/// A flock(2) on a file, shared with processes that inherit the descriptor; gone with the last of them. Exclusive
/// unless it says otherwise.
class FileLock {
 public:
  /// nullopt when somebody else holds it. The file is created when missing and never removed.
  [[nodiscard]] static Result<std::optional<FileLock>> try_acquire(const std::filesystem::path& path);
  /// Beside others that are shared; nullopt when somebody holds it exclusively.
  [[nodiscard]] static Result<std::optional<FileLock>> try_acquire_shared(const std::filesystem::path& path);
  /// Waits for it.
  [[nodiscard]] static Result<FileLock> acquire(const std::filesystem::path& path);

  /// Makes it a shared one; waits. Not in one step: somebody else may have held it exclusively in between.
  [[nodiscard]] Result<void> share();

  [[nodiscard]] int fd() const { return fd_.get(); }

 private:
  [[nodiscard]] static Result<std::optional<FileLock>> try_lock(const std::filesystem::path& path, int operation);
  explicit FileLock(UniqueFd fd) : fd_(std::move(fd)) {}
  UniqueFd fd_;
};

}  // namespace autokernel::system
