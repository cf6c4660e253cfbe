#include "worker/runner/compare/accuracy.hpp"

#include <algorithm>
#include <cmath>

namespace autokernel::compare {

double accumulation_depth(const std::vector<std::uint64_t>& operand_elements, std::uint64_t output_elements) {
  std::vector<std::uint64_t> sizes = operand_elements;
  std::sort(sizes.rbegin(), sizes.rend());
  const double outputs = static_cast<double>(std::max<std::uint64_t>(output_elements, 1));
  double depth = 1;
  if (!sizes.empty()) depth = std::max(depth, static_cast<double>(sizes[0]) / outputs);
  if (sizes.size() > 1) {
    depth = std::max(depth, std::sqrt(static_cast<double>(sizes[0]) * static_cast<double>(sizes[1]) / outputs));
  }
  return std::min(depth, 16777216.0);
}

double error_factor(double depth) { return 6 + std::log2(std::max(depth, 1.0)) / 2; }

double largest_meaningful_error(const std::string& dtype) {
  if (dtype == "float16" || dtype == "bfloat16") return 0.1;
  return 0.01;
}

}  // namespace autokernel::compare
