#include "worker/runner/timing/block.hpp"

#include <sched.h>

#include <chrono>
#include <utility>

#include "worker/runner/timing/statistics.hpp"

namespace autokernel::runner {
namespace {

using Instant = std::chrono::steady_clock::time_point;

double us_since(Instant begin) {
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
}

/// Keeps the calling thread on one core for as long as it lives. A core that may not be used changes nothing.
class StayOnCore {
 public:
  explicit StayOnCore(int cpu) {
    if (cpu < 0 || cpu >= CPU_SETSIZE || ::sched_getaffinity(0, sizeof before_, &before_) != 0) return;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<std::size_t>(cpu), &one);
    moved_ = ::sched_setaffinity(0, sizeof one, &one) == 0;
  }
  ~StayOnCore() {
    if (moved_) ::sched_setaffinity(0, sizeof before_, &before_);
  }
  StayOnCore(const StayOnCore&) = delete;
  StayOnCore& operator=(const StayOnCore&) = delete;

 private:
  cpu_set_t before_{};
  bool moved_ = false;
};

Result<void> run_step(const BlockSteps::Step& step, int index) { return step ? step(index) : Result<void>{}; }

struct Queued {
  std::vector<double> launches_us;
  int host_bound = 0;
};

Result<Queued> queue_calls(Device& device, const BlockPlan& plan, const BlockSteps& steps) {
  Queued queued;
  for (int i = 0; i < plan.calls; ++i) {
    AUTOKERNEL_TRY(run_step(steps.before, i));
    device
        .use_default_stream();  // the call before may have left another one current, and the marks would miss the work
    AUTOKERNEL_TRY(device.flush_caches());
    if (i > 0) AUTOKERNEL_TRY(device.hold(plan.hold.each_us));
    AUTOKERNEL_TRY(run_step(steps.inputs, i));
    AUTOKERNEL_TRY(device.mark_start(i));
    const Instant begin = std::chrono::steady_clock::now();
    AUTOKERNEL_TRY(steps.call(i));
    queued.launches_us.push_back(us_since(begin));
    AUTOKERNEL_TRY(device.mark_stop(i));
    if (device.has_begun(i)) ++queued.host_bound;
    AUTOKERNEL_TRY(run_step(steps.after, i));
  }
  return queued;
}

}  // namespace

Result<BlockSamples> run_block(Device& device, const BlockPlan& plan, const BlockSteps& steps) {
  if (plan.calls < 1) return fail(Code::kInvalid, "a timing block needs at least one call, not {}", plan.calls);
  AUTOKERNEL_TRY(device.prepare_timing(plan.calls));
  device.use_default_stream();
  AUTOKERNEL_TRY(device.synchronize());

  const StayOnCore stay(plan.host_cpu);
  BlockSamples samples;
  const Instant begin = std::chrono::steady_clock::now();
  AUTOKERNEL_TRY(device.hold(plan.hold.first_us));
  Result<Queued> queued = queue_calls(device, plan, steps);
  samples.enqueue_us = us_since(begin);
  const Result<void> idle = device.synchronize();
  samples.wall_us = us_since(begin);
  if (!queued) return tl::unexpected(queued.error());
  if (!idle) return tl::unexpected(idle.error());
  samples.host_bound = queued->host_bound;
  samples.launch_us = timing::median_of(std::move(queued->launches_us));
  AUTOKERNEL_TRY_ASSIGN(samples.samples_us, device.elapsed_us(plan.calls));
  return samples;
}

}  // namespace autokernel::runner
