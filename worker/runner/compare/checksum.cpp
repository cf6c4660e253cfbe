#include "worker/runner/compare/checksum.hpp"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <array>
#include <bit>
#include <cstring>
#include <random>
#include <vector>

#include "common/result/result.hpp"

namespace autokernel::compare {

namespace {

constexpr std::uint64_t kMultiplier = 0x9E3779B97F4A7C15ULL;
constexpr std::uint64_t kMixer = 0xD6E8FEB86659FD93ULL;

std::uint64_t mixed(std::uint64_t value) {
  value ^= value >> 32U;
  value *= kMixer;
  value ^= value >> 29U;
  value *= kMultiplier;
  return value ^ (value >> 32U);
}

/// Words per row of the sum on a device: the weights (8 MB) stay in its L2.
constexpr std::int64_t kRow = std::int64_t{1} << 20;
/// Rows at a time: a temporary of 256 MB.
constexpr std::int64_t kRowsAtOnce = 32;

}  // namespace

std::uint64_t checksum_of_bytes(std::span<const std::byte> bytes, std::uint64_t key) {
  // Four lanes, so that the multiplications overlap: memory speed rather than latency bounds it.
  std::array<std::uint64_t, 4> lanes = {key, mixed(key + 1), mixed(key + 2), mixed(key + 3)};
  const std::byte* at = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= 32; left -= 32, at += 32) {
    std::array<std::uint64_t, 4> words{};
    std::memcpy(words.data(), at, 32);
    for (std::size_t i = 0; i < 4; ++i) lanes[i] = std::rotl((lanes[i] ^ words[i]) * kMultiplier, 29);
  }
  std::array<std::uint64_t, 4> tail{};
  if (left > 0) std::memcpy(tail.data(), at, left);
  std::uint64_t sum = mixed(bytes.size() + key);
  for (std::size_t i = 0; i < 4; ++i) sum = mixed(sum ^ lanes[i]) + mixed(tail[i] + key + i);
  return mixed(sum);
}

Checksummer::Checksummer(at::Device device, std::uint64_t key) : key_(key) {
  if (device.is_cpu()) return;
  std::mt19937_64 generator(key);
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(kRow));
  for (std::int64_t& number : numbers) number = std::bit_cast<std::int64_t>(generator() | 1U);
  weights_ = at::from_blob(numbers.data(), {kRow}, at::TensorOptions().dtype(at::kLong)).to(device);
}

std::uint64_t Checksummer::of(const at::Tensor& tensor) const {
  AUTOKERNEL_CHECK(tensor.is_contiguous());
  const c10::NoGradGuard no_grad;
  const at::Tensor bytes = tensor.detach().reshape({-1}).view(at::kByte);
  if (bytes.device().is_cpu()) {
    return checksum_of_bytes(
        {reinterpret_cast<const std::byte*>(bytes.const_data_ptr()), static_cast<std::size_t>(bytes.numel())}, key_);
  }
  // Words of 32 bits times weights of 64: two flips of a top bit cannot cancel, as they would with words of 64.
  // What does not fill a row, and what is not aligned to a word, is summed with the weights' beginning or on the host.
  const std::int64_t aligned =
      reinterpret_cast<std::uintptr_t>(bytes.const_data_ptr()) % 4 == 0 ? bytes.numel() / 4 : 0;
  std::vector<at::Tensor> sums;
  if (aligned > 0) {
    const at::Tensor words = bytes.narrow(0, 0, aligned * 4).view(at::kInt);
    const std::int64_t rows = aligned / kRow;
    for (std::int64_t row = 0; row < rows; row += kRowsAtOnce) {
      const std::int64_t count = std::min(kRowsAtOnce, rows - row);
      const at::Tensor part = words.narrow(0, row * kRow, count * kRow).view({count, kRow});
      sums.push_back((part * weights_).sum(1));
    }
    const std::int64_t rest = aligned - rows * kRow;
    if (rest > 0) sums.push_back((words.narrow(0, rows * kRow, rest) * weights_.narrow(0, 0, rest)).sum().reshape({1}));
  }
  at::Tensor gathered;
  if (!sums.empty()) gathered = at::cat(sums).cpu();
  const at::Tensor tail = bytes.narrow(0, aligned * 4, bytes.numel() - aligned * 4).cpu();
  std::uint64_t sum = mixed(key_ + static_cast<std::uint64_t>(bytes.numel()));
  if (gathered.defined()) {
    sum ^= checksum_of_bytes({reinterpret_cast<const std::byte*>(gathered.const_data_ptr()), gathered.nbytes()}, key_);
  }
  return mixed(sum +
               checksum_of_bytes({reinterpret_cast<const std::byte*>(tail.const_data_ptr()), tail.nbytes()}, key_));
}

std::uint64_t secret_number() {
  std::random_device device;
  return (static_cast<std::uint64_t>(device()) << 32U) | device();
}

}  // namespace autokernel::compare
