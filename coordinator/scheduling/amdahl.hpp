#pragma once

namespace autokernel::scheduling {

/// Where one problem of a group stands.
struct Standing {
  double weight = 0;    ///< reference time, in any unit that the group shares
  double speedup = 1;   ///< best confirmed so far (s)
  double bound = 4;     ///< upper bound of any speedup (S)
  double chance = 0.5;  ///< that one more experiment improves it
  double cost = 1;      ///< expected seconds of one experiment
};

/// Without a roofline a bound must be assumed: four times the reference at first, and always a doubling from where it
/// stands. Too high a guess keeps a finished problem in the race; its falling chance takes it out again.
[[nodiscard]] double assumed_bound(double speedup);

/// What improving the problem from s to S changes of the whole: T / (T - w(1/s - 1/S)) - 1, with T = Σ w/s of its
/// group.
[[nodiscard]] double amdahl_gain(const Standing& standing, double group_time);

/// Expected gain per second: gain × chance ÷ cost.
[[nodiscard]] double amdahl_priority(const Standing& standing, double group_time);

}  // namespace autokernel::scheduling
