#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace autokernel::kernelbench {

/// Chance that at least one of k samples, drawn without replacement from n of which c are right, is right. k is at most
/// n.
[[nodiscard]] double pass_at_k(std::size_t n, std::size_t c, std::size_t k);

/// How many samples of a problem were evaluated, and how many of them were right.
struct SampleCount {
  std::size_t evaluated = 0;
  std::size_t right = 0;
};

struct PassAtK {
  std::size_t k = 0;
  double value = 0;            ///< mean over all problems of the level, those without samples counting 0
  std::size_t short_of_k = 0;  ///< problems with some samples but fewer than k: all of theirs were drawn
};

/// One entry for each k of `ks` that at least one problem has samples for.
[[nodiscard]] std::vector<PassAtK> pass_at_ks(std::span<const SampleCount> problems, std::span<const std::size_t> ks);

}  // namespace autokernel::kernelbench
