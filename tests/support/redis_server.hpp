#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/system/process.hpp"
#include "coordinator/store/redis_connection.hpp"
#include "tests/support/temporary_folder.hpp"

namespace autokernel::test {

/// A redis-server of the test's own: a unix socket in a new folder, no port, everything on disk before it answers.
/// Aborts the test program when it does not come up: AUTOKERNEL_REQUIRE_REDIS_SERVER() stands before it.
class RedisServer {
 public:
  explicit RedisServer(std::vector<std::string> more_arguments = {});
  ~RedisServer();
  RedisServer(const RedisServer&) = delete;
  RedisServer& operator=(const RedisServer&) = delete;

  [[nodiscard]] store::RedisAddress address() const;
  [[nodiscard]] store::RedisConnection connect() const;
  [[nodiscard]] const TemporaryFolder& folder() const { return folder_; }

  void kill();   ///< SIGKILL, and reaps it
  void start();  ///< after kill(): on the same file
  void send_signal(int signal) const { process_->send_signal(signal); }

 private:
  TemporaryFolder folder_;
  std::vector<std::string> more_arguments_;
  std::optional<system::ChildProcess> process_;
};

}  // namespace autokernel::test
