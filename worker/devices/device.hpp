#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/protocol/messages.hpp"

/// What this node can run candidates on. Agent side: no CUDA is linked, GPUs are seen through their management library.
namespace autokernel::devices {

struct Device {
  protocol::DeviceKind kind = protocol::DeviceKind::kCpu;
  std::string id = "cpu";  ///< "cpu" or the GPU's UUID, which is what CUDA_VISIBLE_DEVICES gets
  int index = 0;           ///< n of "cuda:n", in the order that CUDA_VISIBLE_DEVICES of this process leaves
  std::string name;        ///< "NVIDIA H200"
  std::uint64_t memory_bytes = 0;
  std::string architecture;  ///< "9.0"; empty on the CPU
  std::string driver;        ///< "580.82.07"; empty on the CPU

  /// As a person names it: "cpu", "cuda:0".
  [[nodiscard]] std::string flag() const;
};

[[nodiscard]] protocol::DeviceInfo info_of(const Device& device);

/// The CPU of this machine; always there. Memory is the smaller of the machine's and the container's.
[[nodiscard]] Device find_cpu();

/// Architectures native code is compiled for, each once, sorted; empty on a CPU-only node.
[[nodiscard]] std::vector<std::string> architectures_of(const std::vector<Device>& devices);

/// "8.0;9.0", as TORCH_CUDA_ARCH_LIST has it. Builder and candidate get the same text: torch would build again for
/// another.
[[nodiscard]] std::string architecture_list(const std::vector<std::string>& architectures);

}  // namespace autokernel::devices
