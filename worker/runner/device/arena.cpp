#include "worker/runner/device/arena.hpp"

#include <ATen/ATen.h>

#include <optional>
#include <utility>

#include "worker/runner/device/dtype.hpp"

namespace autokernel::runner {
namespace {

constexpr std::size_t kMaxDimensions = 32;

/// What the arithmetic of a view comes to; nullopt where it overflows.
struct Extent {
  std::int64_t elements = 1;
  std::uint64_t span = 0;  ///< bytes from element 0 to the end of the last element; 0 without elements
};

std::optional<Extent> extent_of(const messages::TensorView& view, std::uint64_t element_bytes) {
  Extent extent;
  std::uint64_t last = 0;  // index of the last element, in elements
  for (std::size_t i = 0; i < view.shape.size(); ++i) {
    if (__builtin_mul_overflow(extent.elements, view.shape[i], &extent.elements)) return std::nullopt;
    if (view.shape[i] == 0) continue;
    std::uint64_t reach = 0;
    if (__builtin_mul_overflow(static_cast<std::uint64_t>(view.shape[i] - 1),
                               static_cast<std::uint64_t>(view.strides[i]), &reach) ||
        __builtin_add_overflow(last, reach, &last)) {
      return std::nullopt;
    }
  }
  std::int64_t logical_bytes = 0;  // torch computes it too
  if (__builtin_mul_overflow(extent.elements, static_cast<std::int64_t>(element_bytes), &logical_bytes))
    return std::nullopt;
  if (extent.elements == 0) return extent;
  if (__builtin_add_overflow(last, std::uint64_t{1}, &last) ||
      __builtin_mul_overflow(last, element_bytes, &extent.span)) {
    return std::nullopt;
  }
  return extent;
}

}  // namespace

Result<Arena> Arena::create(Device& device, std::uint64_t bytes) {
  AUTOKERNEL_TRY_ASSIGN(SharedMemory memory, device.create_shared(bytes));
  return Arena(device, std::move(memory));
}

Result<Arena> Arena::open(Device& device, const messages::ArenaHandle& handle, system::UniqueFd fd) {
  AUTOKERNEL_TRY_ASSIGN(SharedMemory memory, device.open_shared(handle, std::move(fd)));
  return Arena(device, std::move(memory));
}

Result<at::Tensor> Arena::tensor(const messages::TensorView& view) const {
  const auto dtype = dtype_from_name(view.dtype);
  if (!dtype) return fail(Code::kInvalid, "tensor refused: unknown dtype '{}'", view.dtype.substr(0, 40));
  if (view.shape.size() > kMaxDimensions || view.strides.size() != view.shape.size()) {
    return fail(Code::kInvalid, "tensor refused: {} extents and {} strides, the limit is {} of each", view.shape.size(),
                view.strides.size(), kMaxDimensions);
  }
  for (std::size_t i = 0; i < view.shape.size(); ++i) {
    if (view.shape[i] < 0 || view.strides[i] < 0) {
      return fail(Code::kInvalid, "tensor refused: negative extent {} or stride {}", view.shape[i], view.strides[i]);
    }
  }
  const std::uint64_t element_bytes = c10::elementSize(*dtype);
  const auto extent = extent_of(view, element_bytes);
  if (!extent) return fail(Code::kInvalid, "tensor refused: its size overflows");
  if (view.offset > bytes() || extent->span > bytes() - view.offset) {
    return fail(Code::kInvalid, "tensor refused: {} bytes at offset {} are outside the arena of {} bytes", extent->span,
                view.offset, bytes());
  }
  if (view.offset % element_bytes != 0) {
    return fail(Code::kInvalid, "tensor refused: offset {} is no multiple of {}", view.offset, element_bytes);
  }
  try {
    // The deleter holds the memory: a view that outlives the arena (a candidate may keep its inputs) stays valid.
    return at::from_blob(
        base() + view.offset, view.shape, view.strides, [memory = memory_](void*) {},
        at::TensorOptions().dtype(*dtype).device(device_->torch_device()), device_->torch_device());
  } catch (const std::exception& error) {
    return fail(Code::kInvalid, "tensor refused: {}", error.what());
  }
}

Result<void> Arena::poison(std::uint64_t offset, std::uint64_t count) const {
  if (offset > bytes() || count > bytes() - offset) {
    return fail(Code::kInvalid, "{} bytes at offset {} are outside the arena of {} bytes", count, offset, bytes());
  }
  return device_->fill(base() + offset, 0xFF, count);
}

}  // namespace autokernel::runner
