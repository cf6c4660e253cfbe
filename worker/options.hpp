#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/config/program.hpp"

namespace autokernel::worker {

/// What autokernel-worker is called with.
struct WorkerOptions {
  std::string connect;                    ///< the coordinator's endpoint for workers
  std::optional<std::int64_t> direct_fd;  ///< instead of `connect`: a channel to one client
  std::string devices = "all";
  std::string id;               ///< default: this host's name
  std::string cache;            ///< default: AUTOKERNEL_CACHE_DIR, or ~/.cache/autokernel
  double cache_limit_gib = 20;  ///< of the builds in the cache; 0: no bound
  std::string folder;           ///< default: a folder in TMPDIR
  std::string log;              ///< empty: stderr
  bool log_json = false;
  std::int64_t builders = 0;  ///< 0: half the cores
  bool list_devices = false;  ///< print the devices that would be used, as JSON, and end
  std::string runner;         ///< default: autokernel-runner beside this program
};

/// Declares the options on `program`; they are filled in by its parse.
void declare(config::Program& program, WorkerOptions& options);

/// Checks what belongs together and fills in the defaults. kInvalid: neither or both of --connect and --direct-fd.
/// kNotFound: no home folder for the cache.
[[nodiscard]] Result<void> complete(WorkerOptions& options);

}  // namespace autokernel::worker
