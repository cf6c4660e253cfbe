#pragma once

#include <filesystem>
#include <string>
#include <utility>

#include "common/result/result.hpp"

namespace autokernel::runner_process {

/// A private folder for one child; removed with everything in it by the destructor.
class ScratchFolder {
 public:
  /// `name` is made unique. kExhausted: the disk is full. kUnavailable: `parent` is not writable.
  [[nodiscard]] static Result<ScratchFolder> make(const std::filesystem::path& parent, const std::string& name);

  ScratchFolder(ScratchFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  ScratchFolder& operator=(ScratchFolder&& other) noexcept;
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder() { remove(); }

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  explicit ScratchFolder(std::filesystem::path path) : path_(std::move(path)) {}
  void remove();
  std::filesystem::path path_;
};

/// The end of a child's output file, for a person to read: at most `max_bytes`, whole lines where possible, no control
/// characters. Empty when there is none. Foreign code wrote it: it is text to show, nothing more.
[[nodiscard]] std::string output_tail(const std::filesystem::path& file, std::size_t max_bytes = 2048);

}  // namespace autokernel::runner_process
