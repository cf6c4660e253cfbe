#include "coordinator/gateway/gateway.hpp"

#include <optional>
#include <utility>

#include "common/telemetry/log.hpp"

namespace autokernel::gateway {
namespace {

/// One turn takes at most so many from clients, so that a flood of submissions cannot keep workers waiting.
constexpr int kClientMessages = 1000;
/// A bound against a worker that never stops sending; far above what all honest ones send between two turns.
constexpr int kWorkerMessages = 100'000;

template <class Family>
Result<void> send(transport::Router& router, const std::string& peer, const Family& message) {
  return router.send(peer, protocol::pack_message(message));
}

/// The next message, decoded; what is none is refused with `reject`. nullopt: nothing is there.
template <class Family, class RejectPeer>
std::optional<std::pair<std::string, Result<Family>>> next(transport::Router& router, const RejectPeer& reject) {
  auto received = router.receive();
  if (!received) {
    telemetry::error("cannot receive", {{"reason", received.error().message}});
    return std::nullopt;
  }
  if (!*received) return std::nullopt;
  transport::Received& arrived = **received;
  if (!arrived.version_matches) {
    const std::string why =
        fmt::format("this coordinator speaks {}: use programs of its version", protocol::kVersionFrame);
    reject(arrived.peer, protocol::Reject{protocol::RejectCode::kUpgrade, why});
    return std::pair{std::move(arrived.peer), Result<Family>(fail(Code::kInvalid, "another version"))};
  }
  auto message = protocol::unpack_message<Family>(arrived.body);
  if (!message) {
    reject(arrived.peer, protocol::Reject{protocol::RejectCode::kMalformed, message.error().message});
  }
  return std::pair{std::move(arrived.peer), std::move(message)};
}

}  // namespace

Gateway::Gateway(std::unique_ptr<transport::Router> workers, std::unique_ptr<transport::Router> clients,
                 telemetry::Counter refused)
    : workers_(std::move(workers)), clients_(std::move(clients)), refused_(refused) {}

Result<std::unique_ptr<Gateway>> Gateway::bind(transport::Context& context, const std::string& workers,
                                               const std::string& clients, telemetry::Counter refused) {
  AUTOKERNEL_TRY_ASSIGN(auto for_workers, transport::Router::bind(context, workers));
  AUTOKERNEL_TRY_ASSIGN(auto for_clients, transport::Router::bind(context, clients));
  return std::unique_ptr<Gateway>(new Gateway(std::move(for_workers), std::move(for_clients), refused));
}

Result<void> Gateway::to_worker(const std::string& peer, const protocol::ToWorkerMessage& message) {
  return send(*workers_, peer, message);
}

Result<void> Gateway::to_client(const std::string& peer, const protocol::ToClientMessage& message) {
  return send(*clients_, peer, message);
}

Result<void> Gateway::wait(const transport::Waker& waker, std::chrono::milliseconds timeout) {
  transport::Poll poll;
  poll.add(*workers_);
  poll.add(*clients_);
  poll.add_fd(waker.fd());
  AUTOKERNEL_TRY(poll.wait(timeout));
  waker.drain();
  return {};
}

void Gateway::receive(dispatch::Dispatcher& dispatcher) {
  const auto refuse = [this](std::string_view who, const auto& reject, const auto& send_it) {
    refused_.add();
    telemetry::warning("a message is refused",
                       {{"from", who}, {"code", protocol::name_of(reject.code)}, {"reason", reject.message}});
    static_cast<void>(send_it());
  };
  const auto reject_worker = [&](const std::string& peer, const protocol::Reject& reject) {
    refuse("worker", reject, [&] { return to_worker(peer, reject); });
  };
  const auto reject_client = [&](const std::string& peer, const protocol::Reject& reject) {
    refuse("client", reject, [&] { return to_client(peer, reject); });
  };
  for (int i = 0; i < kWorkerMessages; ++i) {
    const auto arrived = next<protocol::WorkerMessage>(*workers_, reject_worker);
    if (!arrived) break;
    if (arrived->second) dispatcher.on_worker(arrived->first, *arrived->second);
  }
  for (int i = 0; i < kClientMessages; ++i) {
    const auto arrived = next<protocol::ClientMessage>(*clients_, reject_client);
    if (!arrived) break;
    if (arrived->second) dispatcher.on_client(arrived->first, *arrived->second);
  }
}

}  // namespace autokernel::gateway
