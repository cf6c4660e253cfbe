#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/protocol/job.hpp"
#include "common/result/result.hpp"
#include "worker/runner/device/shared_memory.hpp"

namespace autokernel::runner {

/// What the driver says about the clock right now.
struct ClockState {
  int sm_clock_mhz = 0;
  int temperature_c = 0;
  std::uint64_t throttle_reasons = 0;  ///< NVML's bits; idle and application-clock settings are not counted
};

/// The one device of this process: the GPU that CUDA_VISIBLE_DEVICES leaves, or the CPU. Main thread only.
///
/// Judge and candidate use the same class, so that what differs between their times is the work. Work is queued on
/// torch's default stream: the device's legacy stream, which also orders itself behind every blocking stream of the
/// process.
///
/// Every call may return kUnavailable with the driver's text when the device is lost or its context is poisoned (a
/// "sticky" error): nothing more can be done in this process then.
class Device {
 public:
  Device() = default;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  virtual ~Device() = default;

  [[nodiscard]] virtual protocol::DeviceKind kind() const = 0;
  [[nodiscard]] virtual at::Device torch_device() const = 0;
  [[nodiscard]] virtual bool is_cpu() const = 0;

  /// Waits for all streams of the process, those of the candidate's own making too.
  [[nodiscard]] virtual Result<void> synchronize() = 0;

  /// "device", "device_uuid", "driver", "cuda", "compute_capability", "sm_clock_mhz", "throttle_reasons", …: what is
  /// known.
  [[nodiscard]] virtual std::map<std::string, std::string> environment() = 0;
  /// nullopt where nobody can tell (the CPU, no NVML).
  [[nodiscard]] virtual std::optional<ClockState> clock_state() = 0;
  [[nodiscard]] virtual Result<std::uint64_t> memory_free_bytes() = 0;

  /// Gives what torch's allocator keeps but does not use back to the device. No-op on the CPU.
  virtual void release_cached_memory() = 0;
  /// Most bytes that torch's allocator had in use since the last reset; 0 on the CPU.
  virtual void reset_peak_memory() = 0;
  [[nodiscard]] virtual std::uint64_t peak_memory_bytes() = 0;

  /// Sets every byte, ordered behind what is queued; does not wait.
  [[nodiscard]] virtual Result<void> fill(void* memory, std::uint8_t pattern, std::uint64_t bytes) = 0;

  /// Memory that another process can open, and the other side of it. kExhausted: there is not that much.
  [[nodiscard]] virtual Result<SharedMemory> create_shared(std::uint64_t bytes) = 0;
  [[nodiscard]] virtual Result<SharedMemory> open_shared(const messages::ArenaHandle& handle, system::UniqueFd fd) = 0;

  /// Makes the default stream torch's current one again, whatever ran before, and returns its handle (cudaStream_t;
  /// null on the CPU). Costs well under a microsecond.
  virtual void* use_default_stream() = 0;

  // What run_block is made of. The order is prepare_timing, hold, then per call flush, start, stop; then synchronize;
  // then elapsed_us.

  /// Room for `calls` pairs of marks, and the flush buffer (twice the L2, on the CPU about twice the last-level cache).
  [[nodiscard]] virtual Result<void> prepare_timing(int calls) = 0;
  /// Occupies the stream for this long, measured by the device's own clock, so that what follows is queued before it
  /// starts. No-op on the CPU.
  [[nodiscard]] virtual Result<void> hold(double microseconds) = 0;
  [[nodiscard]] virtual Result<void> flush_caches() = 0;
  [[nodiscard]] virtual Result<void> mark_start(int call) = 0;
  [[nodiscard]] virtual Result<void> mark_stop(int call) = 0;
  /// Whether the device has passed the call's start mark already. Never on the CPU, where the host is the device.
  [[nodiscard]] virtual bool has_begun(int call) = 0;
  /// Between each call's marks. After synchronize().
  [[nodiscard]] virtual Result<std::vector<double>> elapsed_us(int calls) = 0;

  /// "cuda_event" or "cpu_clock", for the record.
  [[nodiscard]] virtual std::string timing_method() const = 0;
};

/// Opens the process's device; torch must be imported. On a GPU this makes the CUDA context (about 0.2 s).
/// kInvalid: this build has no code for that kind. kUnavailable: no such device here, or it does not answer.
[[nodiscard]] Result<std::unique_ptr<Device>> open_device(protocol::DeviceKind kind);

}  // namespace autokernel::runner
