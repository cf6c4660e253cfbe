#pragma once

#include <functional>
#include <vector>

#include "common/result/result.hpp"
#include "worker/runner/device/device.hpp"
#include "worker/runner/timing/plan.hpp"

namespace autokernel::runner {

struct BlockPlan {
  int calls = 11;       ///< samples to take, the first one included (the caller drops it)
  timing::Hold hold{};  ///< nothing on the CPU
  int host_cpu = -1;    ///< the core that launches; -1: the system's choice
};

/// What a block does, each called with the call's index. Only `call` lies between the marks.
struct BlockSteps {
  using Step = std::function<Result<void>(int index)>;
  Step call;         ///< queues the work
  Step before = {};  ///< e.g. sets the seed
  Step after = {};   ///< e.g. keeps the result
  Step inputs = {};  ///< right before the start mark, the caches being flushed: e.g. puts the inputs in place
};

struct BlockSamples {
  std::vector<double> samples_us;  ///< one per call, by the device's own marks
  double enqueue_us = 0;           ///< host time to queue the block
  double launch_us = 0;            ///< median host time of `call` alone
  int host_bound = 0;  ///< calls that the device had begun before all of their work was queued: it may have waited
  double wall_us = 0;  ///< host time from before the hold until every stream of the process was idle
};

/// Times one block: hold the stream, then per call flush the caches, mark, call, mark; then wait for the whole device.
/// Where `host_cpu` is given the calling thread stays on that core meanwhile, so that both sides of a comparison launch
/// at the same speed.
/// Judge and candidate run this same code. An error of a step ends the block and is returned as it is, after the device
/// has been waited for; kUnavailable also for a device that fails.
[[nodiscard]] Result<BlockSamples> run_block(Device& device, const BlockPlan& plan, const BlockSteps& steps);

}  // namespace autokernel::runner
