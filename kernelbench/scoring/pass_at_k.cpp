#include "kernelbench/scoring/pass_at_k.hpp"

#include <algorithm>

namespace autokernel::kernelbench {

double pass_at_k(std::size_t n, std::size_t c, std::size_t k) {
  if (n == 0 || k == 0 || c == 0) return 0;
  if (n - c < k) return 1;
  double none_right = 1;
  for (std::size_t j = n - c + 1; j <= n; ++j) none_right *= 1 - static_cast<double>(k) / static_cast<double>(j);
  return 1 - none_right;
}

std::vector<PassAtK> pass_at_ks(std::span<const SampleCount> problems, std::span<const std::size_t> ks) {
  std::size_t most = 0;
  for (const SampleCount& count : problems) most = std::max(most, count.evaluated);
  std::vector<PassAtK> results;
  for (const std::size_t k : ks) {
    if (k == 0 || k > most) continue;
    PassAtK result{k, 0, 0};
    for (const SampleCount& count : problems) {
      if (count.evaluated > 0 && count.evaluated < k) ++result.short_of_k;
      result.value += pass_at_k(count.evaluated, count.right, std::min(k, count.evaluated));
    }
    result.value /= static_cast<double>(problems.size());
    results.push_back(result);
  }
  return results;
}

}  // namespace autokernel::kernelbench
