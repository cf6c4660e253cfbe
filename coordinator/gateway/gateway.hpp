#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "common/clock/clock.hpp"
#include "common/telemetry/metrics.hpp"
#include "common/transport/transport.hpp"
#include "coordinator/dispatch/dispatcher.hpp"

namespace autokernel::gateway {

/// The coordinator's two sockets: translates, checks, replies, and decides nothing. Dispatch thread only.
///
/// Peers' bytes are hostile until decoded: what is no message of the protocol is counted, answered with REJECT, and
/// otherwise as if it had never come.
class Gateway final : public dispatch::Mailer {
 public:
  /// kInvalid: an endpoint is malformed. kUnavailable: it is taken or not permitted.
  [[nodiscard]] static Result<std::unique_ptr<Gateway>> bind(transport::Context& context, const std::string& workers,
                                                             const std::string& clients, telemetry::Counter refused);

  Result<void> to_worker(const std::string& peer, const protocol::ToWorkerMessage& message) override;
  Result<void> to_client(const std::string& peer, const protocol::ToClientMessage& message) override;

  /// Waits until something arrives, `waker` is woken, or the time is over. kInternal: polling failed.
  [[nodiscard]] Result<void> wait(const transport::Waker& waker, std::chrono::milliseconds timeout);

  /// Hands over everything that has arrived; workers first, since their silence has consequences.
  void receive(dispatch::Dispatcher& dispatcher);

  [[nodiscard]] const std::string& worker_endpoint() const { return workers_->endpoint(); }
  [[nodiscard]] const std::string& client_endpoint() const { return clients_->endpoint(); }

 private:
  Gateway(std::unique_ptr<transport::Router> workers, std::unique_ptr<transport::Router> clients,
          telemetry::Counter refused);

  std::unique_ptr<transport::Router> workers_;
  std::unique_ptr<transport::Router> clients_;
  telemetry::Counter refused_;
};

}  // namespace autokernel::gateway
