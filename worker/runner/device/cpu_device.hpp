#pragma once

#include <chrono>
#include <vector>

#include "worker/runner/device/device.hpp"

namespace autokernel::runner {

/// The host itself. torch's CPU operators are synchronous, so that a mark is a reading of the steady clock.
class CpuDevice final : public Device {
 public:
  CpuDevice();

  [[nodiscard]] protocol::DeviceKind kind() const override { return protocol::DeviceKind::kCpu; }
  [[nodiscard]] at::Device torch_device() const override { return at::Device(at::kCPU); }
  [[nodiscard]] bool is_cpu() const override { return true; }
  [[nodiscard]] Result<void> synchronize() override { return {}; }
  [[nodiscard]] std::map<std::string, std::string> environment() override;
  [[nodiscard]] std::optional<ClockState> clock_state() override { return std::nullopt; }
  [[nodiscard]] Result<std::uint64_t> memory_free_bytes() override;
  void release_cached_memory() override {}
  void reset_peak_memory() override {}
  [[nodiscard]] std::uint64_t peak_memory_bytes() override { return 0; }
  [[nodiscard]] Result<void> fill(void* memory, std::uint8_t pattern, std::uint64_t bytes) override;
  [[nodiscard]] Result<SharedMemory> create_shared(std::uint64_t bytes) override;
  [[nodiscard]] Result<SharedMemory> open_shared(const messages::ArenaHandle& handle, system::UniqueFd fd) override;
  void* use_default_stream() override { return nullptr; }
  [[nodiscard]] Result<void> prepare_timing(int calls) override;
  [[nodiscard]] Result<void> hold(double /*microseconds*/) override { return {}; }
  [[nodiscard]] Result<void> flush_caches() override;
  [[nodiscard]] Result<void> mark_start(int call) override;
  [[nodiscard]] Result<void> mark_stop(int call) override;
  [[nodiscard]] bool has_begun(int /*call*/) override { return false; }
  [[nodiscard]] Result<std::vector<double>> elapsed_us(int calls) override;
  [[nodiscard]] std::string timing_method() const override { return "cpu_clock"; }

 private:
  using Instant = std::chrono::steady_clock::time_point;
  std::vector<Instant> starts_;
  std::vector<Instant> stops_;
  std::vector<std::uint8_t> flush_buffer_;
  std::uint8_t flush_pattern_ = 0;
};

}  // namespace autokernel::runner
