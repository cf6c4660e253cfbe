#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "worker/compile/build_cache.hpp"
#include "worker/compile/build_key.hpp"
#include "worker/compile/cache_trimmer.hpp"
#include "worker/compile/cpu_gate.hpp"
#include "worker/runner_process/cancellation.hpp"
#include "worker/runner_process/zygote.hpp"

namespace autokernel::compile {

struct BuildResult {
  messages::BuildOutcome outcome =
      messages::BuildOutcome::kBuilt;  ///< kMissingTool: this machine's fault, whatever it is
  std::string detail;
  bool cached = false;  ///< no process was started for it now
  double seconds = 0;   ///< the builder's own work, now
  double waited = 0;    ///< beyond that: for a lane on the same cores, or for another process that builds the same
  std::filesystem::path source_path;
  std::filesystem::path artefact_folder;
  std::string artefact_digest;
  /// Keeps the files in the cache until the last copy of this result is gone; null where there are none.
  std::shared_ptr<const system::FileLock> in_use;
};

struct BuilderSettings {
  std::filesystem::path scratch;         ///< for the builders' working folders
  std::filesystem::path include_folder;  ///< holds autokernel/kernel.h
  std::chrono::seconds limit{600};
  int jobs = 1;                     ///< compiler processes that one build may run side by side
  bool interpret_triton = false;    ///< a CPU-only node
  CacheTrimmer* trimmer = nullptr;  ///< asked after every build; null: the cache grows without bound
};

/// Builds candidates in builder processes and keeps the results in the cache. Thread-safe: holds no state of a build.
class Builder {
 public:
  Builder(runner_process::Zygote& zygote, BuildCache cache, Toolchain toolchain, BuilderSettings settings,
          CpuGate* gate);

  /// What can be answered without a process: it is in the cache, or there is nothing to build. nullopt: call build().
  /// Touches a few small files; does not wait.
  [[nodiscard]] std::optional<BuildResult> without_process(const BuildRequest& request) const;

  /// Blocks for as long as the build takes. Only one thread of all processes builds a key; the others wait for it.
  /// When `cancellation` is cancelled the result means nothing.
  [[nodiscard]] BuildResult build(const BuildRequest& request, runner_process::Cancellation& cancellation) const;

 private:
  struct Target;
  [[nodiscard]] BuildResult run_builder(const BuildRequest& request, const Target& target,
                                        runner_process::Cancellation& cancellation) const;
  struct Answer;
  [[nodiscard]] Result<Answer> wait_for_builder(runner_process::RunnerChild& child, const BuildRequest& request,
                                                const std::filesystem::path& output) const;
  [[nodiscard]] static BuildResult from_hit(const Target& target, CacheHit hit);
  /// What was built under this lock, held on to for use. nullopt: it is not there (any more).
  [[nodiscard]] std::optional<CacheHit> shared_hit(const Target& target, system::FileLock lock) const;
  [[nodiscard]] Target target_of(const BuildRequest& request) const;
  [[nodiscard]] runner_process::ChildRequest child_request(const BuildRequest& request, const Target& target,
                                                           const std::filesystem::path& folder) const;

  runner_process::Zygote& zygote_;
  const BuildCache cache_;
  const Toolchain toolchain_;
  const BuilderSettings settings_;
  CpuGate* const gate_;
};

}  // namespace autokernel::compile
