#include "worker/lane/lane_resources.hpp"

#include "worker/devices/host_memory.hpp"

namespace autokernel::lane {
namespace {

// Judge and candidate both hold inputs and outputs, and neither is at its peak while the other is; two full shares of a
// half would fail honest candidates that fit, so they may add up to more than there is.
constexpr double kMemoryShare = 0.6;

}  // namespace

std::map<std::string, std::string> device_environment(const devices::Device& device) {
  if (device.kind == protocol::DeviceKind::kCpu) {
    return {{"CUDA_VISIBLE_DEVICES", ""}, {"HIP_VISIBLE_DEVICES", ""}, {"TRITON_INTERPRET", "1"}};
  }
  return {{"CUDA_VISIBLE_DEVICES", device.id}};
}

std::uint64_t memory_limit(const devices::Device& device) {
  if (device.kind != protocol::DeviceKind::kCpu) return 0;
  return static_cast<std::uint64_t>(static_cast<double>(devices::host_memory().available_bytes) * kMemoryShare);
}

}  // namespace autokernel::lane
