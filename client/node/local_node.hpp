#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "client/node/private_folder.hpp"
#include "client/node/supervisor.hpp"
#include "common/clock/clock.hpp"
#include "common/result/result.hpp"

namespace autokernel::client {

struct LocalNodeOptions {
  std::filesystem::path run_folder;  ///< gets the Redis data and the logs
  std::string devices = "all";
};

/// A whole cluster of one machine: a private redis-server, a coordinator and a worker, as children of this process, on
/// sockets that only this user reaches. The destructor stops what runs.
class LocalNode {
 public:
  /// Blocks until Redis has loaded. kNotFound, kUnavailable: a program is missing or does not start.
  [[nodiscard]] static Result<std::unique_ptr<LocalNode>> start(const Clock& clock, const LocalNodeOptions& options,
                                                                const std::function<bool()>& cancelled);
  ~LocalNode();
  LocalNode(const LocalNode&) = delete;
  LocalNode& operator=(const LocalNode&) = delete;

  [[nodiscard]] const std::string& clients_endpoint() const { return clients_endpoint_; }
  /// As Supervisor::check.
  [[nodiscard]] Result<std::vector<std::string>> check() { return supervisor_.check(); }
  void stop();

 private:
  LocalNode(const Clock& clock, const LocalNodeOptions& options, system::OwnedFolder folder);

  std::filesystem::path run_folder_;
  system::OwnedFolder folder_;
  std::string clients_endpoint_;
  Supervisor supervisor_;
  bool stopped_ = false;
};

}  // namespace autokernel::client
