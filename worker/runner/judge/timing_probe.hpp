#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "worker/runner/judge/reference_blocks.hpp"
#include "worker/runner/timing/plan.hpp"

/// What a few calls tell about how a timing has to be cut and held.
namespace autokernel::judge {

inline constexpr double kBudgetSeconds = 60;
/// Calls that are known to take longer are probed by one of them.
inline constexpr double kSlowSeconds = 0.5;
inline constexpr std::int64_t kProbeCalls = 4;

struct Probe {
  double per_call_us = 0;  ///< of wall time, flush included
  double enqueue_us = 0;   ///< per call
  double device_us = 0;    ///< per call; 0 where launching, not the device, may have set the pace
};

/// Of a block of `calls` calls that nothing held. Times are the whole block's, in microseconds.
[[nodiscard]] Probe probe_of(const std::vector<double>& samples_us, double enqueue_us, double wall_us, double calls);

[[nodiscard]] timing::Hold hold_for(const runner::Device& device, const Probe& probe);
/// The core that a timing's blocks launch from, on both sides: the one that the judge is on. -1 on the CPU device.
[[nodiscard]] int launching_core(const runner::Device& device);
[[nodiscard]] runner::BlockPlan block_plan(std::int64_t calls, const timing::Hold& hold, int host_cpu);

/// A block's samples without those that the plan drops.
[[nodiscard]] std::span<const double> kept_of(const std::vector<double>& samples, const timing::Plan& plan);

[[nodiscard]] std::string too_slow(double call_us);

}  // namespace autokernel::judge
