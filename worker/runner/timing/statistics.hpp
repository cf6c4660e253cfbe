#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "common/protocol/record.hpp"

/// Pure functions over samples; no clock, no device.
namespace autokernel::timing {

/// Of an unsorted, non-empty list; the mean of the middle two when the count is even.
[[nodiscard]] double median_of(std::vector<double> values);

/// KernelBench's own figures over every kept sample. `std` is the sample's (n - 1). All zero when there are no samples.
[[nodiscard]] protocol::SampleSummary summarize(std::span<const double> samples_us);

/// The medians of one block of the reference and of the block of the candidate beside it.
struct BlockPair {
  double reference_us = 0;
  double candidate_us = 0;
};

struct Interval {
  double low = 0;
  double high = 0;
};

/// A distribution-free 95% interval of the median from order statistics: exact for any continuous distribution. Under
/// six values the widest one, [min, max], covers less than 95%; a Student interval about the mean is used there, and
/// one value alone says nothing about its spread: [value, value].
[[nodiscard]] Interval median_interval(std::vector<double> values);

/// Host time per call to queue it, in microseconds; 0 where it is not known.
struct LaunchTimes {
  double reference_us = 0;
  double candidate_us = 0;
};

/// How long the kernels of a call are, from how long the host takes to queue it: eager PyTorch needs 10 to 30 us per
/// kernel, and none takes under 2 us. What counts for placement is the kernel, not the call: 60 kernels of 10 us in a
/// row are all off alike.
[[nodiscard]] double kernel_us(double call_us, double launch_us);

/// What the block ratio of one pair of processes cannot know about itself: how far the same pair, spawned again, would
/// be off. Standard deviation of the logarithm of one side's time, for kernels that take `kernel_us`.
///
/// A default until a device has measured its own: on an H200 the median ratio of freshly spawned pairs that time the
/// same operation spreads by 2.8% at 5 us, 0.17% at 60 us and 0.1% at 350 us and above (placement in memory differs per
/// process; docs/results has the comparisons of programs with themselves that the last figure rests on); between those
/// points it is interpolated on logarithmic axes, and each side brings in half of the variance. A CPU under a
/// general-purpose system is taken as 1% throughout.
[[nodiscard]] double placement_spread(double kernel_us, std::string_view method);

/// Speedup as the median of paired block ratios. The interval joins, in quadrature on the logarithm, the
/// order-statistics interval within this pair of processes with 1.96 times the placement spread of both sides between
/// pairs. `pairs` must not be empty and every time must be positive.
[[nodiscard]] protocol::SpeedupInterval speedup_of(std::span<const BlockPair> pairs, std::string_view method,
                                                   const LaunchTimes& launch = {});

}  // namespace autokernel::timing
