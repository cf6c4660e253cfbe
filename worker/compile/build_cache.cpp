#include "worker/compile/build_cache.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "common/id/digest.hpp"
#include "common/protocol/describe.hpp"

namespace autokernel::compile {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t kMaxManifestBytes = std::size_t{1} << 20U;
constexpr std::size_t kMaxArtefactBytes = std::size_t{1} << 30U;
constexpr std::string_view kManifest = "built.msgpack";

std::uint64_t bytes_in(const fs::path& folder) {
  std::uint64_t bytes = 0;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    std::error_code vanished;
    if (!entry->is_regular_file(vanished)) continue;
    const std::uint64_t size = entry->file_size(vanished);
    if (!vanished) bytes += size;
  }
  return bytes;
}

}  // namespace

fs::path BuildCache::folder(const std::string& key) const { return root_ / key.substr(0, 2) / key; }

fs::path BuildCache::lock_path(const std::string& key) const { return folder(key).string() + ".lock"; }

fs::path BuildCache::source_path(const std::string& key, std::string_view suffix) const {
  return folder(key) / fmt::format("candidate{}", suffix);
}

fs::path BuildCache::artefact_folder(const std::string& key) const { return folder(key) / "artefacts"; }

std::optional<BuildManifest> BuildCache::find(const std::string& key) const {
  const auto bytes = system::read_file(folder(key) / kManifest, kMaxManifestBytes);
  if (!bytes) return std::nullopt;
  auto manifest = protocol::unpack<BuildManifest>(*bytes);
  if (!manifest) return std::nullopt;
  return *std::move(manifest);
}

std::optional<CacheHit> BuildCache::use(const std::string& key) const {
  if (!find(key)) return std::nullopt;
  auto lock = system::FileLock::try_acquire_shared(lock_path(key));
  if (!lock || !*lock) return std::nullopt;
  auto manifest = find(key);  // it may have been removed between the two
  if (!manifest) return std::nullopt;
  std::error_code ignored;
  fs::last_write_time(folder(key) / kManifest, fs::file_time_type::clock::now(), ignored);
  return CacheHit{*std::move(manifest), **std::move(lock)};
}

Result<std::optional<system::FileLock>> BuildCache::try_lock(const std::string& key) const {
  AUTOKERNEL_TRY(system::make_folders(folder(key).parent_path()));
  return system::FileLock::try_acquire(lock_path(key));
}

Result<void> BuildCache::begin(const std::string& key, std::string_view suffix, std::string_view text) const {
  std::error_code error;
  fs::remove_all(folder(key), error);
  if (error) return fail(Code::kUnavailable, "cannot clear '{}': {}", folder(key).string(), error.message());
  AUTOKERNEL_TRY(system::make_folders(artefact_folder(key)));
  return system::write_file(source_path(key, suffix), text);
}

Result<void> BuildCache::finish(const std::string& key, const BuildManifest& manifest) const {
  return system::write_file(folder(key) / kManifest, protocol::pack(manifest));
}

std::string BuildCache::digest_artefacts(const std::string& key) const {
  std::vector<fs::path> files;
  std::error_code error;
  const fs::path base = artefact_folder(key);
  for (fs::recursive_directory_iterator entry(base, error), end; !error && entry != end; entry.increment(error)) {
    if (entry->is_regular_file(error)) files.push_back(entry->path());
  }
  if (files.empty()) return "";
  std::sort(files.begin(), files.end());
  std::string summary;
  for (const fs::path& file : files) {
    const auto bytes = system::read_file(file, kMaxArtefactBytes);
    summary +=
        fmt::format("{}\n{}\n", file.lexically_relative(base).string(), bytes ? digest_of(*bytes) : "unreadable");
  }
  return digest_of(summary);
}

std::vector<CacheEntry> BuildCache::entries() const {
  std::vector<CacheEntry> found;
  std::error_code error;
  for (fs::directory_iterator group(root_, error), end; !error && group != end; group.increment(error)) {
    std::error_code inner;  // a group or an entry that vanishes or cannot be read does not hide the others
    for (fs::directory_iterator entry(group->path(), inner); !inner && entry != end; entry.increment(inner)) {
      CacheEntry one;
      one.key = entry->path().filename().string();
      if (entry->path() != folder(one.key)) continue;
      const auto used = last_use(one.key);
      if (!used) continue;
      one.last_use = *used;
      one.bytes = bytes_in(entry->path());
      found.push_back(std::move(one));
    }
  }
  return found;
}

std::optional<fs::file_time_type> BuildCache::last_use(const std::string& key) const {
  std::error_code error;
  if (!fs::is_directory(folder(key), error)) return std::nullopt;
  auto time = fs::last_write_time(folder(key) / kManifest, error);
  if (error) time = fs::last_write_time(folder(key), error);  // an interrupted build has no manifest
  if (error) return std::nullopt;
  return time;
}

Result<void> BuildCache::remove(const std::string& key) const {
  std::error_code error;
  fs::remove(folder(key) / kManifest, error);  // first: killed half-way, it is no entry any more
  fs::remove_all(folder(key), error);
  if (error) return fail(Code::kUnavailable, "cannot remove '{}': {}", folder(key).string(), error.message());
  return {};
}

}  // namespace autokernel::compile
