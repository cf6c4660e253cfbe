#include "client/run_folder/run_folder.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

namespace autokernel::client {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxDescriptionBytes = std::size_t{64} << 20U;

/// What open() itself makes before run.toml, so that a crash in between leaves no folder that nobody can use.
constexpr std::array<std::string_view, 4> kBeforeDescription = {"lock", "logs", "redis", "endpoint"};

/// Refuses to spread a run's files over a folder of something else.
Result<void> check_fresh(const fs::path& path) {
  std::error_code error;
  if (fs::exists(path, error) && !fs::is_directory(path, error)) {
    return fail(Code::kInvalid, "'{}' is a file: name a folder for the run", path.string());
  }
  for (const auto& entry : fs::directory_iterator(path, error)) {
    const std::string name = entry.path().filename().string();
    if (std::find(kBeforeDescription.begin(), kBeforeDescription.end(), name) == kBeforeDescription.end()) {
      return fail(Code::kInvalid, "'{}' is no run folder: it holds '{}' but no run.toml; name a new folder with --out",
                  path.string(), name);
    }
  }
  return {};
}

/// True where a run got to its end, but the machine failed at some of it.
bool has_failures(const fs::path& folder) {
  const auto results = kernelbench::read_results(results_path(folder));
  return results && !std::all_of(results->records.begin(), results->records.end(), kernelbench::is_settled);
}

/// Refuses a run of a newer version, and one with other options.
Result<void> check_same(const fs::path& path, const RunDescription& description) {
  AUTOKERNEL_TRY_ASSIGN(const RunDescription then, read_description(path));
  const std::vector<std::string> lines = differences(then, description);
  if (!lines.empty()) {
    constexpr std::size_t kShown = 8;
    const std::size_t shown = std::min(lines.size(), kShown);
    std::string text;
    for (std::size_t index = 0; index < shown; ++index) text += "\n  " + lines[index];
    if (lines.size() > shown) text += fmt::format("\n  and {} more", lines.size() - shown);
    return fail(Code::kInvalid,
                "'{}' is a run with other options:{}\nRun with the same ones to resume it, or name another --out",
                path.string(), text);
  }
  return {};
}

Result<system::FileLock> lock_folder(const fs::path& path) {
  const fs::path lock_path = path / "lock";
  AUTOKERNEL_TRY_ASSIGN(std::optional<system::FileLock> lock, system::FileLock::try_acquire(lock_path));
  if (!lock) {
    const auto owner = system::read_file(lock_path, 64);
    const std::string pid = owner && !owner->empty() ? *owner : "unknown";
    return fail(Code::kUnavailable,
                "'{}' is in use by another autokernel (process {}): wait for it, stop it, or name another --out",
                path.string(), pid);
  }
  const std::string pid = fmt::format("{}", ::getpid());
  if (::ftruncate(lock->fd(), 0) != 0 || ::pwrite(lock->fd(), pid.data(), pid.size(), 0) < 0) {
    return fail(Code::kExhausted, "cannot write '{}': is the disk full?", lock_path.string());
  }
  return *std::move(lock);
}

}  // namespace

Result<void> check_free_disk(const fs::path& folder, std::uint64_t needed) {
  AUTOKERNEL_TRY_ASSIGN(const std::uint64_t available, system::free_bytes(folder));
  if (available >= needed) return {};
  return fail(
      Code::kExhausted,
      "only {} MB are free where '{}' lies, {} MB are needed: free some space or name another folder with --out",
      available >> 20U, folder.string(), needed >> 20U);
}

Result<RunFolder> RunFolder::open(const fs::path& path, const RunDescription& description) {
  std::error_code error;
  const bool resumed = fs::exists(description_path(path), error);
  // A run that is not ours to resume is refused before anything is made in it.
  AUTOKERNEL_TRY(resumed ? check_same(path, description) : check_fresh(path));
  for (const char* folder : {"logs", "redis"}) AUTOKERNEL_TRY(system::make_folders(path / folder));
  AUTOKERNEL_TRY_ASSIGN(system::FileLock lock, lock_folder(path));
  if (!resumed) AUTOKERNEL_TRY(system::write_file(description_path(path), format_description(description)));
  AUTOKERNEL_TRY_ASSIGN(ResultsLog results, ResultsLog::open(results_path(path)));
  return RunFolder(path, std::move(lock), std::move(results), resumed);
}

fs::path description_path(const fs::path& run) { return run / "run.toml"; }
fs::path results_path(const fs::path& run) { return run / "results.jsonl"; }
fs::path scores_path(const fs::path& run) { return run / "scores.json"; }
fs::path finished_marker(const fs::path& run, const std::string& command) {
  return command == "baseline" ? run / "baseline_time_torch.json" : scores_path(run);
}
fs::path endpoint_path(const fs::path& run) { return run / "endpoint"; }

Result<RunDescription> read_description(const fs::path& run) {
  const fs::path path = description_path(run);
  std::error_code error;
  if (fs::is_regular_file(run, error)) {
    return fail(Code::kInvalid, "'{}' is a file, not a run folder", run.string());
  }
  auto text = system::read_file(path, kMaxDescriptionBytes);
  if (!text) {
    if (text.error().code != Code::kNotFound) return tl::unexpected(std::move(text).error());
    return fail(Code::kNotFound, "'{}' is no run folder: it has no run.toml", run.string());
  }
  return parse_description(*text, path.string());
}

std::optional<fs::path> find_unfinished(const fs::path& runs, const RunDescription& description) {
  std::vector<fs::path> folders;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(runs, error)) {
    if (entry.is_directory(error)) folders.push_back(entry.path());
  }
  std::sort(folders.rbegin(), folders.rend());  // named by time: the newest first
  for (const fs::path& folder : folders) {
    const auto then = read_description(folder);
    if (!then || !differences(*then, description).empty()) continue;
    if (!fs::exists(finished_marker(folder, description.command), error) || has_failures(folder)) return folder;
  }
  return std::nullopt;
}

fs::path fresh_folder(const fs::path& runs, const std::string& wall_time) {
  std::string name = wall_time;
  std::replace(name.begin(), name.end(), ':', '-');  // legal everywhere, and no trouble in scp or PATH
  fs::path folder = runs / name;
  std::error_code error;
  for (int number = 2; fs::exists(folder, error); ++number) folder = runs / fmt::format("{}-{}", name, number);
  return folder;
}

}  // namespace autokernel::client
