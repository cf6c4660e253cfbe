#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "common/transport/transport.hpp"
#include "worker/agent/coordinator_link.hpp"
#include "worker/pipeline/pipeline.hpp"

namespace autokernel::agent {

/// Connects a CoordinatorLink to its socket and to the pipeline. run() owns the thread it is called on and the socket;
/// lanes and builders reach it through the event queue, whose notify is `waker`. A signal handler sets `stop` and wakes
/// it.
class Agent {
 public:
  Agent(std::string endpoint, LinkIdentity identity, LinkTimes times, pipeline::Pipeline& pipeline,
        pipeline::EventQueue& events, transport::Waker& waker, const std::atomic<bool>& stop);

  /// Returns the program's exit code. kInvalid: the endpoint is malformed.
  [[nodiscard]] Result<int> run();

 private:
  [[nodiscard]] Result<void> wait();
  void receive_all();
  void note_all();
  /// The exit code once the link leaves.
  [[nodiscard]] Result<std::optional<int>> perform_actions();

  const std::string endpoint_;
  const SteadyClock clock_;
  pipeline::Pipeline& pipeline_;
  pipeline::EventQueue& events_;
  transport::Waker& waker_;
  const std::atomic<bool>& stop_;
  transport::Context context_;
  std::unique_ptr<transport::Dealer> socket_;
  CoordinatorLink link_;
};

}  // namespace autokernel::agent
