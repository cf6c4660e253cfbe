#include "worker/runner/judge/timing_probe.hpp"

#include <fmt/format.h>
#include <sched.h>

#include "worker/runner/timing/statistics.hpp"

namespace autokernel::judge {

Probe probe_of(const std::vector<double>& samples_us, double enqueue_us, double wall_us, double calls) {
  Probe probe;
  probe.per_call_us = wall_us / calls;
  probe.enqueue_us = enqueue_us / calls;
  const double sample = timing::median_of(samples_us);
  if (sample > 1.5 * probe.enqueue_us) probe.device_us = sample;
  return probe;
}

timing::Hold hold_for(const runner::Device& device, const Probe& probe) {
  return device.is_cpu() ? timing::Hold() : timing::hold_for(probe.enqueue_us, probe.device_us);
}

int launching_core(const runner::Device& device) { return device.is_cpu() ? -1 : ::sched_getcpu(); }

runner::BlockPlan block_plan(std::int64_t calls, const timing::Hold& hold, int host_cpu) {
  return {static_cast<int>(calls), hold, host_cpu};
}

std::span<const double> kept_of(const std::vector<double>& samples, const timing::Plan& plan) {
  return std::span(samples).subspan(static_cast<std::size_t>(plan.dropped));
}

std::string too_slow(double call_us) {
  return fmt::format("one call takes {:.2g} s: the fewest samples that say anything would take over two minutes",
                     call_us * 1e-6);
}

}  // namespace autokernel::judge
