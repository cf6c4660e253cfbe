#pragma once

#include <memory>

#include "worker/devices/gpu_monitor.hpp"

namespace autokernel::devices {

/// NVIDIA's management library, loaded at run time so that the same program starts where there is no driver.
/// nullptr when the library is missing or cannot be initialised; the reason is then logged, once, at debug level.
[[nodiscard]] std::unique_ptr<GpuMonitor> load_nvml();

}  // namespace autokernel::devices
