#include "worker/runner/device/cpu_device.hpp"

#include <ATen/Parallel.h>
#include <fcntl.h>
#include <malloc.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstring>
#include <fstream>

namespace autokernel::runner {
namespace {

constexpr std::size_t kMaxFlushBytes = std::size_t{64} << 20U;

std::string first_value_in(const char* path, std::string_view key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(key)) continue;
    const auto begin = line.find_first_not_of(" \t", line.find(':') + 1);
    return begin == std::string::npos ? "" : line.substr(begin);
  }
  return "";
}

Result<SharedMemory> map_shared(system::UniqueFd fd, std::uint64_t bytes) {
  const std::uint64_t mapped = std::max<std::uint64_t>(bytes, 1);
  void* base = ::mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
  if (base == MAP_FAILED) {
    return fail(errno == ENOMEM ? Code::kExhausted : Code::kInvalid, "cannot map {} bytes of shared memory: {}", bytes,
                std::strerror(errno));
  }
  return SharedMemory(static_cast<std::byte*>(base), messages::ArenaHandle{bytes, {}}, std::move(fd),
                      [base, mapped] { ::munmap(base, mapped); });
}

}  // namespace

CpuDevice::CpuDevice() {
  // malloc otherwise returns big blocks to the system and takes fresh ones, call by call: the page faults would be
  // timed, and a pattern put into freed memory would be lost. 32 MiB is the most that glibc takes.
  ::mallopt(M_MMAP_THRESHOLD, 32 << 20);
  ::mallopt(M_TRIM_THRESHOLD, INT_MAX);
}

std::map<std::string, std::string> CpuDevice::environment() {
  std::string model = first_value_in("/proc/cpuinfo", "model name");
  if (model.empty()) model = "unknown CPU";
  return {{"device", model}, {"threads", std::to_string(at::get_num_threads())}};
}

Result<std::uint64_t> CpuDevice::memory_free_bytes() {
  const std::string kilobytes = first_value_in("/proc/meminfo", "MemAvailable");
  if (kilobytes.empty()) return fail(Code::kUnavailable, "/proc/meminfo does not tell the free memory");
  return std::strtoull(kilobytes.c_str(), nullptr, 10) * 1024;
}

Result<void> CpuDevice::fill(void* memory, std::uint8_t pattern, std::uint64_t bytes) {
  std::memset(memory, pattern, bytes);
  return {};
}

Result<SharedMemory> CpuDevice::create_shared(std::uint64_t bytes) {
  system::UniqueFd fd(::memfd_create("autokernel-arena", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!fd.valid()) return fail(Code::kExhausted, "memfd_create: {}", std::strerror(errno));
  if (::ftruncate(fd.get(), static_cast<off_t>(std::max<std::uint64_t>(bytes, 1))) != 0) {
    return fail(Code::kExhausted, "cannot reserve {} bytes of shared memory: {}", bytes, std::strerror(errno));
  }
  // Without the seal a candidate could shrink the file, and the judge would die of SIGBUS at its next look.
  if (::fcntl(fd.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    return fail(Code::kUnavailable, "cannot seal the shared memory: {}", std::strerror(errno));
  }
  return map_shared(std::move(fd), bytes);
}

Result<SharedMemory> CpuDevice::open_shared(const messages::ArenaHandle& handle, system::UniqueFd fd) {
  struct stat status {};
  if (!fd.valid() || ::fstat(fd.get(), &status) != 0) return fail(Code::kInvalid, "the arena's descriptor is missing");
  if (handle.bytes > static_cast<std::uint64_t>(status.st_size)) {
    return fail(Code::kInvalid, "the arena's descriptor holds {} bytes, not {}", status.st_size, handle.bytes);
  }
  return map_shared(std::move(fd), handle.bytes);
}

Result<void> CpuDevice::prepare_timing(int calls) {
  starts_.resize(static_cast<std::size_t>(calls));
  stops_.resize(static_cast<std::size_t>(calls));
  if (flush_buffer_.empty()) {
    const long last_level = std::max({::sysconf(_SC_LEVEL4_CACHE_SIZE), ::sysconf(_SC_LEVEL3_CACHE_SIZE),
                                      ::sysconf(_SC_LEVEL2_CACHE_SIZE), 16L << 20});
    flush_buffer_.resize(std::min(kMaxFlushBytes, 2 * static_cast<std::size_t>(last_level)));
  }
  return {};
}

Result<void> CpuDevice::flush_caches() {
  std::memset(flush_buffer_.data(), ++flush_pattern_, flush_buffer_.size());
  std::atomic_signal_fence(std::memory_order_seq_cst);  // the compiler may not drop a buffer that nobody reads
  return {};
}

Result<void> CpuDevice::mark_start(int call) {
  starts_.at(static_cast<std::size_t>(call)) = std::chrono::steady_clock::now();
  return {};
}

Result<void> CpuDevice::mark_stop(int call) {
  stops_.at(static_cast<std::size_t>(call)) = std::chrono::steady_clock::now();
  return {};
}

Result<std::vector<double>> CpuDevice::elapsed_us(int calls) {
  std::vector<double> samples;
  for (std::size_t i = 0; i < static_cast<std::size_t>(calls); ++i) {
    samples.push_back(std::chrono::duration<double, std::micro>(stops_.at(i) - starts_.at(i)).count());
  }
  return samples;
}

}  // namespace autokernel::runner
