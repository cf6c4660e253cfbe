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

}  // namespace

fs::path BuildCache::folder(const std::string& key) const { return root_ / key.substr(0, 2) / key; }

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

Result<std::optional<system::FileLock>> BuildCache::try_lock(const std::string& key) const {
  AUTOKERNEL_TRY(system::make_folders(folder(key).parent_path()));
  return system::FileLock::try_acquire(folder(key).string() + ".lock");
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

}  // namespace autokernel::compile
