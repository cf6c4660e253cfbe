#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <memory>

#include "common/result/result.hpp"
#include "worker/messages/candidate.hpp"
#include "worker/runner/device/device.hpp"

namespace autokernel::runner {

/// Where a description's offset stands for "not in the arena": the tensor did not fit.
inline constexpr std::uint64_t kNotInArena = UINT64_MAX;

/// Every tensor that is placed in an arena starts at a multiple of this.
inline constexpr std::uint64_t kArenaAlignment = 256;

/// Device memory that judge and candidate share, and the only way from a description (a TensorView, which may come from
/// a hostile process) to a tensor. The judge creates it, the candidate opens it. Main thread only.
class Arena {
 public:
  /// kExhausted: the device has not that much. kUnavailable: the device is lost.
  [[nodiscard]] static Result<Arena> create(Device& device, std::uint64_t bytes);
  /// `fd` is the memfd on the CPU. kInvalid: no such memory.
  [[nodiscard]] static Result<Arena> open(Device& device, const messages::ArenaHandle& handle, system::UniqueFd fd);

  [[nodiscard]] const messages::ArenaHandle& handle() const { return memory_->handle(); }
  [[nodiscard]] int fd() const { return memory_->fd(); }  ///< goes with the handle on the CPU; -1 otherwise
  [[nodiscard]] std::uint64_t bytes() const { return memory_->handle().bytes; }
  [[nodiscard]] std::byte* base() const { return memory_->base(); }
  [[nodiscard]] Device& device() const { return *device_; }

  /// A tensor over the arena's own memory, no copy; it keeps the memory alive.
  /// kInvalid: unknown dtype, negative or overflowing shape or strides, misaligned, or any element outside the arena.
  /// An expanded tensor (stride 0) is allowed and can have far more elements than the arena has bytes: compare a shape
  /// with what was expected before reading it.
  [[nodiscard]] Result<at::Tensor> tensor(const messages::TensorView& view) const;

  /// Writes 0xFF, which is NaN in every floating type. kInvalid: outside the arena.
  [[nodiscard]] Result<void> poison(std::uint64_t offset, std::uint64_t bytes) const;

 private:
  Arena(Device& device, SharedMemory memory)
      : device_(&device), memory_(std::make_shared<SharedMemory>(std::move(memory))) {}

  Device* device_;
  std::shared_ptr<SharedMemory> memory_;
};

}  // namespace autokernel::runner
