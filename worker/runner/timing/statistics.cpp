#include "worker/runner/timing/statistics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "common/result/result.hpp"

namespace autokernel::timing {

namespace {

constexpr double kConfidence = 0.95;
constexpr double kNormalQuantile = 1.959963984540054;

/// Two-sided 95% quantiles of Student's t with 1 to 4 degrees of freedom.
constexpr std::array kStudentQuantiles = {12.706, 4.303, 3.182, 2.776};

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double deviation_of(std::span<const double> values) {
  if (values.size() < 2) return 0;
  const double mean = mean_of(values);
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

/// Largest rank k (from 1) such that [k-th, (n+1-k)-th] covers the median with the wanted confidence; 0 when none does.
std::size_t covering_rank(std::size_t count) {
  const double allowed = (1 - kConfidence) / 2;
  double below = 0;  // P(at most k - 1 of n values lie under the median)
  double term = std::pow(0.5, static_cast<double>(count));
  std::size_t rank = 0;
  for (std::size_t k = 1; k <= count / 2; ++k) {
    below += term;
    if (below > allowed) break;
    rank = k;
    term *= static_cast<double>(count - k + 1) / static_cast<double>(k);
  }
  return rank;
}

constexpr double kLaunchPerKernelUs = 16;
constexpr double kShortestKernelUs = 2;

struct SpreadPoint {
  double kernel_us;
  double ratio_deviation;
};
constexpr std::array kGpuSpread = {SpreadPoint{5, 0.028}, SpreadPoint{60, 0.0017}, SpreadPoint{350, 0.001}};
constexpr double kCpuRatioDeviation = 0.01 * 1.4142135623730951;

double gpu_ratio_deviation(double kernel_us) {
  const SpreadPoint* from = &kGpuSpread[0];
  const SpreadPoint* to = &kGpuSpread[1];
  if (kernel_us >= kGpuSpread.back().kernel_us) return kGpuSpread.back().ratio_deviation;
  if (kernel_us > to->kernel_us) {
    from = &kGpuSpread[1];
    to = &kGpuSpread[2];
  }
  const double slope =
      std::log(to->ratio_deviation / from->ratio_deviation) / std::log(to->kernel_us / from->kernel_us);
  return from->ratio_deviation * std::pow(std::max(kernel_us, 0.5) / from->kernel_us, slope);
}

}  // namespace

double median_of(std::vector<double> values) {
  AUTOKERNEL_CHECK(!values.empty());
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

protocol::SampleSummary summarize(std::span<const double> samples_us) {
  protocol::SampleSummary summary;
  if (samples_us.empty()) return summary;
  const auto [min, max] = std::minmax_element(samples_us.begin(), samples_us.end());
  summary.median = median_of({samples_us.begin(), samples_us.end()});
  summary.mean = mean_of(samples_us);
  summary.std = deviation_of(samples_us);
  summary.min = *min;
  summary.max = *max;
  summary.samples = static_cast<std::int64_t>(samples_us.size());
  return summary;
}

Interval median_interval(std::vector<double> values) {
  AUTOKERNEL_CHECK(!values.empty());
  std::sort(values.begin(), values.end());
  const std::size_t rank = covering_rank(values.size());
  if (rank > 0) return {values[rank - 1], values[values.size() - rank]};
  if (values.size() == 1) return {values[0], values[0]};
  const double mean = mean_of(values);
  const double half =
      kStudentQuantiles[values.size() - 2] * deviation_of(values) / std::sqrt(static_cast<double>(values.size()));
  return {mean - half, mean + half};
}

double kernel_us(double call_us, double launch_us) {
  const double kernels = std::max(1.0, launch_us / kLaunchPerKernelUs);
  return std::max(call_us / kernels, std::min(call_us, kShortestKernelUs));
}

double placement_spread(double kernel_us, std::string_view method) {
  const double of_ratio = method == "cpu_clock" ? kCpuRatioDeviation : gpu_ratio_deviation(kernel_us);
  return of_ratio / std::sqrt(2.0);
}

protocol::SpeedupInterval speedup_of(std::span<const BlockPair> pairs, std::string_view method,
                                     const LaunchTimes& launch) {
  AUTOKERNEL_CHECK(!pairs.empty());
  std::vector<double> logarithms;
  std::vector<double> reference;
  std::vector<double> candidate;
  for (const BlockPair& pair : pairs) {
    logarithms.push_back(std::log(pair.reference_us / pair.candidate_us));
    reference.push_back(pair.reference_us);
    candidate.push_back(pair.candidate_us);
  }
  const auto spread = [&](std::vector<double> calls_us, double launch_us) {
    return placement_spread(kernel_us(median_of(std::move(calls_us)), launch_us), method);
  };
  const double center = median_of(logarithms);
  const Interval within = median_interval(logarithms);
  const double between = kNormalQuantile * std::hypot(spread(std::move(reference), launch.reference_us),
                                                      spread(std::move(candidate), launch.candidate_us));
  protocol::SpeedupInterval speedup;
  speedup.median = std::exp(center);
  speedup.low = std::exp(center - std::hypot(std::max(center - within.low, 0.0), between));
  speedup.high = std::exp(center + std::hypot(std::max(within.high - center, 0.0), between));
  speedup.confidence = kConfidence;
  speedup.pairs = 1;
  return speedup;
}

}  // namespace autokernel::timing
