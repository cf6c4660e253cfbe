#pragma once

#include <atomic>

#include "common/system/channel.hpp"
#include "common/transport/transport.hpp"
#include "worker/pipeline/pipeline.hpp"

namespace autokernel::agent {

/// Serves one client over a channel, without a queue between them: Dispatch and Cancel come in, Progress and one
/// JobResult per job go out (a cancelled job has none). What `autokernel eval` uses. Blocks; returns when the client
/// closes its end, or `stop` is set and `waker` woken.
[[nodiscard]] Result<void> serve_directly(system::Channel channel, pipeline::Pipeline& pipeline,
                                          pipeline::EventQueue& events, transport::Waker& waker,
                                          const std::atomic<bool>& stop);

}  // namespace autokernel::agent
