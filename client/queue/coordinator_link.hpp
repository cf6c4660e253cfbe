#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/protocol/messages.hpp"
#include "common/result/result.hpp"
#include "common/transport/transport.hpp"

namespace autokernel::client {

/// Messages to and from the coordinator. One thread.
class CoordinatorLink {
 public:
  /// Does not wait for the coordinator to be there. kInvalid: the endpoint is malformed.
  [[nodiscard]] static Result<CoordinatorLink> connect(const std::string& endpoint);

  /// A message that the socket does not take now is dropped: the sender repeats what is not answered.
  void send(const protocol::ClientMessage& message);

  /// What has come; waits up to `timeout` for the first of it, less when `wake_fd` becomes readable. kInvalid: the
  /// coordinator speaks another version.
  [[nodiscard]] Result<std::vector<protocol::ToClientMessage>> receive(std::chrono::milliseconds timeout, int wake_fd);

  /// A fresh socket: the old one would hoard messages for a coordinator that is gone.
  [[nodiscard]] Result<void> reconnect();

 private:
  CoordinatorLink(std::unique_ptr<transport::Context> context, std::string endpoint)
      : context_(std::move(context)), endpoint_(std::move(endpoint)) {}

  std::unique_ptr<transport::Context> context_;
  std::string endpoint_;
  std::unique_ptr<transport::Dealer> dealer_;
};

/// One question and its answer, for `status`. kUnavailable: none within `timeout`.
[[nodiscard]] Result<protocol::StatusReply> ask_status(CoordinatorLink& link, std::chrono::milliseconds timeout);

}  // namespace autokernel::client
