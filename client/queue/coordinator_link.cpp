#include "client/queue/coordinator_link.hpp"

#include <algorithm>
#include <utility>

#include "common/clock/clock.hpp"

namespace autokernel::client {

Result<CoordinatorLink> CoordinatorLink::connect(const std::string& endpoint) {
  CoordinatorLink link(std::make_unique<transport::Context>(), endpoint);
  AUTOKERNEL_TRY(link.reconnect());
  return link;
}

Result<void> CoordinatorLink::reconnect() {
  dealer_.reset();
  AUTOKERNEL_TRY_ASSIGN(dealer_, transport::Dealer::connect(*context_, endpoint_));
  return {};
}

void CoordinatorLink::send(const protocol::ClientMessage& message) {
  [[maybe_unused]] const auto sent = dealer_->send(protocol::pack_message(message));
}

Result<std::vector<protocol::ToClientMessage>> CoordinatorLink::receive(std::chrono::milliseconds timeout,
                                                                        int wake_fd) {
  std::vector<protocol::ToClientMessage> messages;
  transport::Poll poll;
  poll.add(*dealer_);
  if (wake_fd >= 0) poll.add_fd(wake_fd);
  AUTOKERNEL_TRY_ASSIGN([[maybe_unused]] const auto ready, poll.wait(timeout));
  for (;;) {
    AUTOKERNEL_TRY_ASSIGN(const std::optional<transport::Received> received, dealer_->receive());
    if (!received) return messages;
    if (!received->version_matches) {
      return fail(Code::kInvalid, "the coordinator at {} speaks another version of the protocol: update one of the two",
                  endpoint_);
    }
    auto message = protocol::unpack_message<protocol::ToClientMessage>(received->body);
    if (!message) return tl::unexpected(message.error().within("message of the coordinator"));
    messages.push_back(*std::move(message));
  }
}

Result<protocol::StatusReply> ask_status(CoordinatorLink& link, std::chrono::milliseconds timeout) {
  const SteadyClock clock;
  const auto deadline = clock.now() + timeout;
  link.send(protocol::StatusRequest{});
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - clock.now());
    if (left.count() <= 0) return fail(Code::kUnavailable, "the coordinator does not answer");
    AUTOKERNEL_TRY_ASSIGN(const auto messages, link.receive(left, -1));
    for (const auto& message : messages) {
      if (const auto* status = std::get_if<protocol::StatusReply>(&message)) return *status;
    }
  }
}

}  // namespace autokernel::client
