#include "worker/runner/timing/block.hpp"

#include <chrono>

namespace autokernel::runner {
namespace {

using Instant = std::chrono::steady_clock::time_point;

double us_since(Instant begin) {
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
}

Result<void> run_step(const BlockSteps::Step& step, int index) { return step ? step(index) : Result<void>{}; }

Result<void> queue_calls(Device& device, const BlockPlan& plan, const BlockSteps& steps) {
  for (int i = 0; i < plan.calls; ++i) {
    AUTOKERNEL_TRY(run_step(steps.before, i));
    device
        .use_default_stream();  // the call before may have left another one current, and the marks would miss the work
    AUTOKERNEL_TRY(device.flush_caches());
    AUTOKERNEL_TRY(device.mark_start(i));
    AUTOKERNEL_TRY(steps.call(i));
    AUTOKERNEL_TRY(device.mark_stop(i));
    AUTOKERNEL_TRY(run_step(steps.after, i));
  }
  return {};
}

}  // namespace

Result<BlockSamples> run_block(Device& device, const BlockPlan& plan, const BlockSteps& steps) {
  if (plan.calls < 1) return fail(Code::kInvalid, "a timing block needs at least one call, not {}", plan.calls);
  AUTOKERNEL_TRY(device.prepare_timing(plan.calls));
  device.use_default_stream();
  AUTOKERNEL_TRY(device.synchronize());

  BlockSamples samples;
  const Instant begin = std::chrono::steady_clock::now();
  AUTOKERNEL_TRY(device.hold(plan.hold_us));
  const Result<void> queued = queue_calls(device, plan, steps);
  samples.enqueue_us = us_since(begin);
  const Result<void> idle = device.synchronize();
  samples.wall_us = us_since(begin);
  if (!queued) return tl::unexpected(queued.error());
  if (!idle) return tl::unexpected(idle.error());
  AUTOKERNEL_TRY_ASSIGN(samples.samples_us, device.elapsed_us(plan.calls));
  return samples;
}

}  // namespace autokernel::runner
