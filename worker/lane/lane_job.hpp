#pragma once

#include <memory>
#include <string>

#include "common/clock/clock.hpp"
#include "common/protocol/messages.hpp"
#include "worker/compile/builder.hpp"
#include "worker/runner_process/cancellation.hpp"

namespace autokernel::lane {

/// A dispatched job that is built (or needs no build) and waits for a lane.
struct LaneJob {
  protocol::Dispatch dispatch;
  compile::BuildResult build;  ///< outcome kBuilt; empty for a baseline
  std::string judge_key;       ///< jobs with the same key can share a judge
  Clock::TimePoint ready_since;
  std::shared_ptr<runner_process::Cancellation> cancellation;
};

/// Digest of what a judge is prepared with: problem and options.
[[nodiscard]] std::string judge_key_of(const protocol::JobSpec& spec);

/// True when a candidate with that need can run on that device.
[[nodiscard]] bool runs_on(protocol::DeviceKind needs, protocol::DeviceKind device);

}  // namespace autokernel::lane
