#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/result/result.hpp"
#include "worker/devices/device.hpp"

namespace autokernel::devices {

/// The GPUs that CUDA_VISIBLE_DEVICES leaves (indices or UUIDs, as CUDA reads it: up to the first entry that names
/// none), in its order and renumbered; all of them when it is not set. Slurm and people say by it which GPUs are
/// theirs.
[[nodiscard]] std::vector<Device> visible_gpus(const std::vector<Device>& all,
                                               const std::optional<std::string>& variable);

/// `wanted` is "all" (every GPU, or the CPU where there is none) or a list: "cpu", "cuda:0,cuda:1".
/// kNotFound: a GPU that is not there; the message lists those that are. kInvalid: not a list of devices.
[[nodiscard]] Result<std::vector<Device>> select_devices(std::string_view wanted, const std::vector<Device>& gpus,
                                                         const Device& cpu);

}  // namespace autokernel::devices
