#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>

namespace autokernel::compare {

/// 64 bits over bytes in host memory, for a secret `key`. Every bit of the input reaches every bit of the result.
[[nodiscard]] std::uint64_t checksum_of_bytes(std::span<const std::byte> bytes, std::uint64_t key);

/// Tells whether memory changed, by 64 bits that nobody outside of this process can aim at: the weights are random and
/// stay in the judge. On a GPU all but a few kilobytes are summed up there, at a small multiple of the time of reading
/// them once.
class Checksummer {
 public:
  /// Weights on the tensors' device. `key` must come from the system's randomness.
  Checksummer(at::Device device, std::uint64_t key);

  /// Over the bytes of a contiguous tensor of any dtype; waits for the device. Throws what torch throws (out of
  /// memory).
  [[nodiscard]] std::uint64_t of(const at::Tensor& tensor) const;

 private:
  std::uint64_t key_;
  at::Tensor weights_;  ///< odd 64-bit numbers; undefined on the CPU
};

/// From the system's own generator.
[[nodiscard]] std::uint64_t secret_number();

}  // namespace autokernel::compare
