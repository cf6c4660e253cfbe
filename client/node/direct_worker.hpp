#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "client/node/private_folder.hpp"
#include "common/protocol/messages.hpp"
#include "common/result/result.hpp"
#include "common/system/channel.hpp"
#include "common/system/process.hpp"

namespace autokernel::client {

/// A worker of our own, reached over a socket pair instead of a coordinator. One thread, one job at a time.
class DirectWorker {
 public:
  [[nodiscard]] static Result<DirectWorker> start(const std::string& devices);
  ~DirectWorker();
  DirectWorker(DirectWorker&&) = default;
  DirectWorker& operator=(DirectWorker&&) = delete;
  DirectWorker(const DirectWorker&) = delete;
  DirectWorker& operator=(const DirectWorker&) = delete;

  /// Blocks until the verdict. nullopt: `interrupt_fd` became readable first. kUnavailable: the worker died or does not
  /// start (the message has its last words).
  [[nodiscard]] Result<std::optional<protocol::Record>> evaluate(
      const protocol::JobSpec& spec, const std::function<void(const protocol::StageReport&)>& on_stage,
      int interrupt_fd);

 private:
  DirectWorker(system::OwnedFolder folder, system::ChildProcess child, system::Channel channel);
  [[nodiscard]] Error gone();

  system::OwnedFolder folder_;
  std::unique_ptr<system::ChildProcess> child_;  ///< null in a moved-from object
  system::Channel channel_;
};

}  // namespace autokernel::client
