#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <string>

#include "worker/messages/judge.hpp"

/// Values of a result against the reference's. Both tensors lie on the judge's device, have one shape and one dtype,
/// and are compared in pieces, so that temporaries stay under about a gigabyte whatever the size. Throws what torch
/// throws.
namespace autokernel::compare {

struct Difference {
  std::uint64_t elements = 0;
  std::uint64_t wrong = 0;
  double max = 0;  ///< largest absolute difference where both are finite
  double mean = 0;
  std::optional<std::uint64_t> first_wrong;  ///< flat index
  double found = 0;                          ///< there
  double expected = 0;
  bool unwritten = false;  ///< the element there still holds the poison pattern

  [[nodiscard]] bool passed() const { return wrong == 0; }
};

/// What an element is held to where the reference is not finite.
enum class NonFinite {
  kMustMatch,    ///< equal infinities pass, a NaN never does: torch.allclose
  kNotCompared,  ///< hard inputs decide nothing there
};

/// torch.allclose(expected, found): |found - expected| <= absolute + relative |found|. Integers and booleans must be
/// equal. Half types are compared in float32.
[[nodiscard]] Difference difference_of(const at::Tensor& found, const at::Tensor& expected,
                                       const messages::Tolerance& tolerance,
                                       NonFinite non_finite = NonFinite::kMustMatch);

/// The float64 rule of accuracy.hpp over one tensor.
struct PreciseDifference {
  Difference difference;       ///< against y, the float64 reference
  bool decides = false;        ///< false: the reference is itself too far from y, or nothing is finite
  double reference_error = 0;  ///< rms over the finite elements
  double relative_error = 0;   ///< the same over the rms of y
  double factor = 0;           ///< c
};
[[nodiscard]] PreciseDifference precise_difference_of(const at::Tensor& found, const at::Tensor& reference,
                                                      const at::Tensor& exact, const messages::Tolerance& tolerance,
                                                      double factor, NonFinite non_finite);

/// Whether anything in the tensor is no number; infinities are numbers here.
[[nodiscard]] bool has_nan(const at::Tensor& tensor);

/// The first element that is not finite where `reference` (undefined: everywhere) is. Integers have none.
[[nodiscard]] std::optional<std::uint64_t> first_not_finite(const at::Tensor& found, const at::Tensor& reference,
                                                            bool& unwritten);

/// "3.1% of 4096 elements are off, by at most 0.52 (mean 0.01); first at [0, 17]: 1.5, expected 0.98".
[[nodiscard]] std::string words_for(const Difference& difference, const std::string& name, at::IntArrayRef shape);

/// "[0, 17]" of a flat index.
[[nodiscard]] std::string index_text(std::uint64_t flat, at::IntArrayRef shape);

}  // namespace autokernel::compare
