#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "worker/runner/device/device.hpp"
#include "worker/runner/device/nvml_clock.hpp"

namespace autokernel::runner {

/// The GPU that CUDA_VISIBLE_DEVICES leaves. The CUDA runtime is linked statically, so that its version need not be
/// torch's; both share the device's primary context, and streams and pointers mean the same to both.
class CudaDevice final : public Device {
 public:
  ~CudaDevice() override;

  [[nodiscard]] protocol::DeviceKind kind() const override { return protocol::DeviceKind::kCuda; }
  [[nodiscard]] at::Device torch_device() const override { return at::Device(at::kCUDA, 0); }
  [[nodiscard]] bool is_cpu() const override { return false; }
  [[nodiscard]] Result<void> synchronize() override;
  [[nodiscard]] std::map<std::string, std::string> environment() override;
  [[nodiscard]] std::optional<ClockState> clock_state() override { return clock().state(); }
  [[nodiscard]] Result<std::uint64_t> memory_free_bytes() override;
  void release_cached_memory() override;
  void reset_peak_memory() override;
  [[nodiscard]] std::uint64_t peak_memory_bytes() override;
  [[nodiscard]] Result<void> fill(void* memory, std::uint8_t pattern, std::uint64_t bytes) override;
  [[nodiscard]] Result<SharedMemory> create_shared(std::uint64_t bytes) override;
  [[nodiscard]] Result<SharedMemory> open_shared(const messages::ArenaHandle& handle, system::UniqueFd fd) override;
  void* use_default_stream() override;
  [[nodiscard]] Result<void> prepare_timing(int calls) override;
  [[nodiscard]] Result<void> hold(double microseconds) override;
  [[nodiscard]] Result<void> flush_caches() override;
  [[nodiscard]] Result<void> mark_start(int call) override;
  [[nodiscard]] Result<void> mark_stop(int call) override;
  [[nodiscard]] bool has_begun(int call) override;
  [[nodiscard]] Result<std::vector<double>> elapsed_us(int calls) override;
  [[nodiscard]] std::string timing_method() const override { return "cuda_event"; }

 private:
  /// Made when first asked for: NVML takes a while to start, and candidates never ask.
  NvmlClock& clock();

  std::unique_ptr<NvmlClock> clock_;
  std::vector<std::pair<cudaEvent_t, cudaEvent_t>> marks_;  ///< start, stop
  void* flush_buffer_ = nullptr;
  std::size_t flush_bytes_ = 0;
  int flush_pattern_ = 0;
};

/// kUnavailable: no device is visible, or it does not answer.
[[nodiscard]] Result<std::unique_ptr<Device>> open_cuda_device();

}  // namespace autokernel::runner
