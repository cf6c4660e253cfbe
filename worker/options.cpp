#include "worker/options.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "common/system/process.hpp"

namespace autokernel::worker {
namespace {

std::string host_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0 || name.front() == '\0') return "worker";
  return name.data();
}

Result<std::string> default_cache() {
  if (const char* folder = std::getenv("AUTOKERNEL_CACHE_DIR"); folder != nullptr && *folder != '\0') return folder;
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0') {
    return std::string(home) + "/.cache/autokernel";
  }
  return fail(Code::kNotFound, "no place for the build cache: HOME is not set; give --cache or AUTOKERNEL_CACHE_DIR");
}

}  // namespace

void declare(config::Program& program, WorkerOptions& options) {
  config::Command& command = program.options();
  command.text("connect", options.connect, "ENDPOINT",
               "the coordinator's endpoint for workers, such as tcp://host:7701");
  command.optional_integer("direct-fd", options.direct_fd, {3, 1'000'000},
                           "serve one client over this descriptor instead (used by `autokernel eval`)");
  command.text("devices", options.devices, "DEVICES",
               "all (every GPU, or the CPU where there is none), cpu, or cuda:0,cuda:1,…");
  command.text("id", options.id, "NAME", "this worker's name, the same over restarts (default: the host's name)");
  command.text("cache", options.cache, "DIR", "build cache (default: AUTOKERNEL_CACHE_DIR, or ~/.cache/autokernel)");
  command.number("cache-limit", options.cache_limit_gib, 0,
                 "GiB that builds may take in the cache; the least recently used go first; 0: no bound");
  command.text("folder", options.folder, "DIR", "where working folders are made (default: TMPDIR, or /tmp)");
  command.text("log", options.log, "FILE", "log file (default: stderr)");
  command.flag("log-json", options.log_json, "log lines as JSON");
  command.integer("builders", options.builders, {0, 1024}, "builds side by side (default: half the cores)");
  command.flag("list-devices", options.list_devices, "print the devices that would be used, as JSON, and end");
  command.text("runner", options.runner, "FILE", "the runner program (default: autokernel-runner beside this program)");
}

Result<void> complete(WorkerOptions& options) {
  if (!options.list_devices && options.connect.empty() == !options.direct_fd.has_value()) {
    return fail(Code::kInvalid,
                "give the coordinator's endpoint with --connect (a client starts workers with --direct-fd)");
  }
  if (options.id.empty()) options.id = host_name();
  if (options.cache.empty()) {
    AUTOKERNEL_TRY_ASSIGN(options.cache, default_cache());
  }
  std::error_code error;
  if (options.folder.empty()) options.folder = std::filesystem::temp_directory_path(error).string();
  if (options.folder.empty()) options.folder = "/tmp";
  // Children work in other folders: what they are told must be absolute.
  options.cache = std::filesystem::absolute(options.cache, error).string();
  options.folder = std::filesystem::absolute(options.folder, error).string();
  if (options.builders == 0) options.builders = std::max(1U, std::thread::hardware_concurrency() / 2);
  if (options.runner.empty()) options.runner = system::executable_folder() + "/autokernel-runner";
  return {};
}

}  // namespace autokernel::worker
