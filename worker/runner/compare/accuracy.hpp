#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// The float64 rule: one rule for every place where allclose alone would refuse an honest kernel.
///
/// torch computes a float32 convolution in TF32 by default, so a true float32 kernel differs from it by more than 1e-4,
/// and the reference is the one that is off. So after a mismatch the reference is computed again in float64 (y), and
/// element i of the candidate passes when
///
///     |candidate_i - y_i| <= max(absolute + relative |y_i|,  c max(rms, |reference_i - y_i|))
///
/// where rms is the root mean square of the reference's own error over all finite elements. An element where reference
/// or y is not finite must equal the reference's (or is not compared, in stage 3).
///
/// c = 6 + log2(depth) / 2. Errors spread like a normal distribution reach about 6 times their rms among 1e8 elements,
/// so a candidate that rounds just as the reference does needs c = 6; blocked sums of `depth` terms in another order
/// differ by a logarithmic factor. It is not sqrt(depth), the bound for a plain running sum: with TF32's error in the
/// reference, that would let fp8 arithmetic pass as float32.
///
/// The rule decides nothing where the reference's own error is large against its result: then y is another computation
/// (a dropout mask drawn in float64 differs), and c times that error would pass anything.
namespace autokernel::compare {

/// Terms summed into one output, estimated from sizes: n / outputs for a reduction, sqrt(n1 n2 / outputs) for a product
/// of the two largest operands (exact for a matrix product). At least 1, at most 2^24.
[[nodiscard]] double accumulation_depth(const std::vector<std::uint64_t>& operand_elements,
                                        std::uint64_t output_elements);

[[nodiscard]] double error_factor(double depth);

/// Largest rms error of the reference, relative to the rms of y, at which the rule still decides.
[[nodiscard]] double largest_meaningful_error(const std::string& dtype);

}  // namespace autokernel::compare
