#include "worker/runner/zygote/memory_limit.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

namespace autokernel::runner {
namespace {

std::uint64_t mapped_bytes() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t pages = 0;
  file >> pages;
  return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace

void limit_memory(std::uint64_t bytes) {
  rlimit limit{};
  if (bytes == 0 || ::getrlimit(RLIMIT_AS, &limit) != 0) return;
  limit.rlim_cur = std::min<rlim_t>(mapped_bytes() + bytes, limit.rlim_max);
  ::setrlimit(RLIMIT_AS, &limit);
}

void settle_memory_limit(std::uint64_t more) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_cur + more, limit.rlim_max);
  limit.rlim_max = limit.rlim_cur;
  ::setrlimit(RLIMIT_AS, &limit);
}

}  // namespace autokernel::runner
