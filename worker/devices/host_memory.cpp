#include "worker/devices/host_memory.hpp"

#include <algorithm>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>

namespace autokernel::devices {
namespace {

/// The number that follows `name` in a "name value" file such as /proc/meminfo.
std::optional<std::uint64_t> number_after(const char* path, std::string_view name) {
  std::ifstream file(path);
  std::string word;
  std::uint64_t value = 0;
  while (file >> word) {
    if (word == name && file >> value) return value;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> number_in(const char* path) {
  std::ifstream file(path);
  std::uint64_t value = 0;
  if (file >> value) return value;
  return std::nullopt;  // missing, or "max"
}

}  // namespace

HostMemory host_memory() {
  HostMemory memory;
  memory.total_bytes = number_after("/proc/meminfo", "MemTotal:").value_or(0) * 1024;
  memory.available_bytes = number_after("/proc/meminfo", "MemAvailable:").value_or(0) * 1024;
  struct Files {
    const char* limit;
    const char* used;
  };
  for (const Files& files :
       {Files{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"},
        Files{"/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"}}) {
    const auto limit = number_in(files.limit);
    if (!limit || *limit >= memory.total_bytes) continue;
    const auto used = number_in(files.used).value_or(0);
    memory.total_bytes = *limit;
    memory.available_bytes = std::min(memory.available_bytes, *limit - std::min(*limit, used));
  }
  return memory;
}

std::uint64_t out_of_memory_kills() { return number_after("/proc/vmstat", "oom_kill").value_or(0); }

}  // namespace autokernel::devices
