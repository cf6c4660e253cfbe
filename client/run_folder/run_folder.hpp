#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "client/run_folder/description.hpp"
#include "client/run_folder/results_log.hpp"
#include "common/result/result.hpp"
#include "common/system/file.hpp"

namespace autokernel::client {

/// Less than this free is refused at the start: a sweep that fills the disk half way helps nobody.
inline constexpr std::uint64_t kMinimumFreeBytes = std::uint64_t{200} << 20U;

/// Less than this free after a failure was its cause, whatever a program said last.
inline constexpr std::uint64_t kFullDiskBytes = std::uint64_t{16} << 20U;

/// kExhausted when less than `needed` bytes are free where `folder` lies (or is going to lie).
[[nodiscard]] Result<void> check_free_disk(const std::filesystem::path& folder,
                                           std::uint64_t needed = kMinimumFreeBytes);

/// One run's files, held under a lock that a crash cannot leave behind.
class RunFolder {
 public:
  /// Creates the folder, or resumes the run that is in it. kInvalid: the folder is something else, or a run with other
  /// options (each difference is listed) or of a newer version. kUnavailable: another process is working on it.
  [[nodiscard]] static Result<RunFolder> open(const std::filesystem::path& path, const RunDescription& description);

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] ResultsLog& results() { return results_; }
  [[nodiscard]] const ResultsLog& results() const { return results_; }
  [[nodiscard]] bool resumed() const { return resumed_; }

 private:
  RunFolder(std::filesystem::path path, system::FileLock lock, ResultsLog results, bool resumed)
      : path_(std::move(path)), lock_(std::move(lock)), results_(std::move(results)), resumed_(resumed) {}

  std::filesystem::path path_;
  system::FileLock lock_;
  ResultsLog results_;
  bool resumed_;
};

/// Files of a run folder that others look for, too.
[[nodiscard]] std::filesystem::path description_path(const std::filesystem::path& run);
[[nodiscard]] std::filesystem::path results_path(const std::filesystem::path& run);
[[nodiscard]] std::filesystem::path scores_path(const std::filesystem::path& run);
/// The file that a command writes last, so that it says whether a run is finished.
[[nodiscard]] std::filesystem::path finished_marker(const std::filesystem::path& run, const std::string& command);
[[nodiscard]] std::filesystem::path endpoint_path(const std::filesystem::path& run);

/// run.toml of a folder. kNotFound: there is none (the message says what the folder lacks).
[[nodiscard]] Result<RunDescription> read_description(const std::filesystem::path& run);

/// The newest folder in `runs` that is an unfinished run of the same description: the one to resume when none is named.
/// A run with jobs that the machine failed at is unfinished, too.
[[nodiscard]] std::optional<std::filesystem::path> find_unfinished(const std::filesystem::path& runs,
                                                                   const RunDescription& description);

/// A folder in `runs` that does not exist yet, named by the time of day: "runs/2026-02-28T12-30-05Z".
[[nodiscard]] std::filesystem::path fresh_folder(const std::filesystem::path& runs, const std::string& wall_time);

}  // namespace autokernel::client
