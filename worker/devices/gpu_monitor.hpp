#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/result/result.hpp"
#include "worker/devices/device.hpp"

namespace autokernel::devices {

/// A GPU at one moment.
struct GpuReading {
  double busy = 0;  ///< share of the driver's last sampling period in which a kernel ran, 0 to 1
  std::uint64_t memory_used_bytes = 0;
  unsigned sm_clock_mhz = 0;
  unsigned temperature_celsius = 0;
  std::vector<std::string> throttle_reasons;  ///< "power_cap", …; idleness is not one
};

/// A vendor's management library. Thread-safe.
class GpuMonitor {
 public:
  virtual ~GpuMonitor() = default;
  /// Every GPU of the machine, in the vendor's order.
  [[nodiscard]] virtual std::vector<Device> list() = 0;
  /// kNotFound: no such GPU (any more). kUnavailable: the driver does not answer.
  [[nodiscard]] virtual Result<GpuReading> read(const std::string& id) = 0;
};

}  // namespace autokernel::devices
