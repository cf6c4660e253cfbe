#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "client/interrupt.hpp"
#include "client/node/local_node.hpp"
#include "client/progress/progress.hpp"
#include "client/queue/job_tracker.hpp"
#include "common/clock/clock.hpp"
#include "common/protocol/messages.hpp"
#include "common/result/result.hpp"

namespace autokernel::client {

struct QueueRun {
  const Clock& clock;
  const Interrupt& interrupt;
  Progress& progress;
  LocalNode* node = nullptr;  ///< kept alive meanwhile; null when the coordinator is not ours
  std::string endpoint;
  std::vector<QueuedJob> jobs;
  /// Called once for each job that ended, in the order in which they did. Its error ends the run.
  std::function<Result<void>(const protocol::FinishedJob&)> finished;
};

struct QueueRunEnd {
  std::size_t unfinished = 0;                   ///< more than 0 only after an interrupt
  std::optional<protocol::StatusReply> status;  ///< the last that was heard
};

/// Gets the jobs through the coordinator; blocks until each has ended, or an interrupt. kUnavailable: the local node
/// keeps dying, or nobody ever answered at the endpoint.
[[nodiscard]] Result<QueueRunEnd> run_jobs(QueueRun& run);

}  // namespace autokernel::client
