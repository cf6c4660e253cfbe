#pragma once

#include <cstdint>

namespace autokernel::devices {

struct HostMemory {
  std::uint64_t total_bytes = 0;
  std::uint64_t available_bytes = 0;  ///< without swapping
};

/// The machine's memory, or the container's where a cgroup (v1 or v2) allows less. Zeros where /proc is not readable.
[[nodiscard]] HostMemory host_memory();

/// How many processes the kernel has killed for lack of memory since boot, inside every container too. A count that
/// rose while a process was SIGKILLed by nobody we know is the evidence that memory was the reason.
[[nodiscard]] std::uint64_t out_of_memory_kills();

}  // namespace autokernel::devices
