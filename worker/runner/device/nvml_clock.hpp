#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "worker/runner/device/device.hpp"

namespace autokernel::runner {

/// One GPU's clocks, temperature and throttle reasons by NVML, which is loaded at run time: a machine without it only
/// knows less. Reading takes microseconds to a millisecond; do it between blocks, not within.
class NvmlClock {
 public:
  /// `uuid` as in "GPU-…". Never fails: without NVML every answer is empty.
  explicit NvmlClock(const std::string& uuid);
  ~NvmlClock();
  NvmlClock(const NvmlClock&) = delete;
  NvmlClock& operator=(const NvmlClock&) = delete;

  [[nodiscard]] std::optional<ClockState> state() const;
  /// "driver", "sm_clock_mhz", "max_sm_clock_mhz", "temperature_c", "power_w", "throttle_reasons".
  [[nodiscard]] std::map<std::string, std::string> describe() const;

 private:
  struct Library;
  std::unique_ptr<Library> library_;
  void* gpu_ = nullptr;
};

}  // namespace autokernel::runner
