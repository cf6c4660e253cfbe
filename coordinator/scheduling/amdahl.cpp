#include "coordinator/scheduling/amdahl.hpp"

#include <algorithm>

namespace autokernel::scheduling {

double assumed_bound(double speedup) { return std::max(4.0, 2 * speedup); }

double amdahl_gain(const Standing& standing, double group_time) {
  const double saved = standing.weight * (1 / standing.speedup - 1 / std::max(standing.bound, standing.speedup));
  const double remaining = group_time - saved;
  if (!(group_time > 0) || !(remaining > 0)) return 0;
  return group_time / remaining - 1;
}

double amdahl_priority(const Standing& standing, double group_time) {
  constexpr double kShortest = 0.001;  // seconds; a cost of zero would outbid everything
  return amdahl_gain(standing, group_time) * standing.chance / std::max(standing.cost, kShortest);
}

}  // namespace autokernel::scheduling
