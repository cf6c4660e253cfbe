#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/result/result.hpp"
#include "common/system/file.hpp"
#include "worker/messages/builder.hpp"

namespace autokernel::compile {

/// What is known of a finished build; written last, so an entry is complete or absent.
struct BuildManifest {
  messages::BuildOutcome outcome = messages::BuildOutcome::kBuilt;
  std::string detail;           ///< the compiler's words
  double seconds = 0;           ///< what it cost when it was built
  std::string artefact_digest;  ///< over every file of the artefact folder at that time; empty where there are none
  template <class Archive>
  void describe(Archive& archive) {
    archive.field("outcome", outcome);
    archive.field("detail", detail);
    archive.field("seconds", seconds);
    archive.field("artefact_digest", artefact_digest);
  }
};

/// A build that was found, kept from removal for as long as this lives.
struct CacheHit {
  BuildManifest manifest;
  system::FileLock lock;  ///< shared
};

/// What a build takes of the disk, for whoever bounds the cache.
struct CacheEntry {
  std::string key;
  std::uint64_t bytes = 0;
  std::filesystem::file_time_type last_use;
};

/// Content-addressed builds, shared by every worker and `eval` of this user: <root>/<2
/// digits>/<key>/{candidate.*,artefacts/, built.msgpack}, and <key>.lock beside it. Compile errors are kept like
/// results: the same source fails the same way. Stateless: any thread, any process.
class BuildCache {
 public:
  explicit BuildCache(std::filesystem::path root) : root_(std::move(root)) {}

  /// Where the source stands; the same at build and load time, since torch's build files hold absolute paths.
  /// It has one name for all candidates of that text: the path in a traceback must not name somebody else's file.
  [[nodiscard]] std::filesystem::path source_path(const std::string& key, std::string_view suffix) const;
  [[nodiscard]] std::filesystem::path artefact_folder(const std::string& key) const;

  /// nullopt when it is not built, or its manifest does not parse (then it is built again).
  [[nodiscard]] std::optional<BuildManifest> find(const std::string& key) const;

  /// The same as a hit, which counts as a use. nullopt also while it is being built or removed.
  [[nodiscard]] std::optional<CacheHit> use(const std::string& key) const;

  /// The right to build or remove `key`; nullopt while another thread or process has it, or uses the entry. Look with
  /// find() again once it is held.
  [[nodiscard]] Result<std::optional<system::FileLock>> try_lock(const std::string& key) const;

  /// Clears what an interrupted build left, and writes the source. Only under the lock.
  /// kExhausted: the disk is full. kUnavailable: the cache is not writable.
  [[nodiscard]] Result<void> begin(const std::string& key, std::string_view suffix, std::string_view text) const;

  /// Makes the entry visible. Only under the lock.
  [[nodiscard]] Result<void> finish(const std::string& key, const BuildManifest& manifest) const;

  /// SHA-256 over names and contents of the files in the artefact folder; empty when there are none.
  [[nodiscard]] std::string digest_artefacts(const std::string& key) const;

  /// Everything in the cache, builds under way and interrupted ones too. Reads every folder: seconds where there are
  /// many.
  [[nodiscard]] std::vector<CacheEntry> entries() const;

  /// When it was used or built last; nullopt when it is not there.
  [[nodiscard]] std::optional<std::filesystem::file_time_type> last_use(const std::string& key) const;

  /// Only under the lock, whose file stays: without it two could hold "the" lock of a key. kUnavailable: the cache is
  /// not writable.
  [[nodiscard]] Result<void> remove(const std::string& key) const;

 private:
  [[nodiscard]] std::filesystem::path folder(const std::string& key) const;
  [[nodiscard]] std::filesystem::path lock_path(const std::string& key) const;
  std::filesystem::path root_;
};

}  // namespace autokernel::compile
