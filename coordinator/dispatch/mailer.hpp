#pragma once

#include <string>

#include "common/protocol/messages.hpp"
#include "common/result/result.hpp"

namespace autokernel::dispatch {

/// Sends messages; never blocks. What is lost on the way is repeated by whoever needs it.
class Mailer {
 public:
  virtual ~Mailer() = default;
  /// kUnavailable: the peer is gone. kExhausted: its queue is full. Nothing was sent.
  virtual Result<void> to_worker(const std::string& peer, const protocol::ToWorkerMessage& message) = 0;
  virtual Result<void> to_client(const std::string& peer, const protocol::ToClientMessage& message) = 0;
};

}  // namespace autokernel::dispatch
