#pragma once

#include <memory>
#include <string>

#include "coordinator/store/in_memory_job_store.hpp"
#include "coordinator/store/redis_job_store.hpp"
#include "tests/support/redis_server.hpp"

namespace autokernel::test {

/// One place where jobs are kept, and any number of coordinators that open it.
class StorePlace {
 public:
  virtual ~StorePlace() = default;
  /// Another coordinator's view of the same jobs.
  [[nodiscard]] virtual std::unique_ptr<store::JobStore> open() = 0;
};

class MemoryPlace final : public StorePlace {
 public:
  std::unique_ptr<store::JobStore> open() override { return std::make_unique<store::InMemoryJobStore>(database_); }

 private:
  std::shared_ptr<store::InMemoryDatabase> database_ = std::make_shared<store::InMemoryDatabase>();
};

/// A queue of its own on a server that several places may share.
class RedisPlace final : public StorePlace {
 public:
  RedisPlace(const RedisServer& server, std::string queue, store::ScriptSet scripts = {})
      : server_(server), queue_(std::move(queue)), scripts_(std::move(scripts)) {}

  std::unique_ptr<store::JobStore> open() override {
    store::RedisStoreOptions options;
    options.address = server_.address();
    options.queue = queue_;
    options.scripts = scripts_;
    return std::make_unique<store::RedisJobStore>(std::move(options));
  }
  [[nodiscard]] const std::string& queue() const { return queue_; }
  [[nodiscard]] const RedisServer& server() const { return server_; }

 private:
  const RedisServer& server_;
  std::string queue_;
  store::ScriptSet scripts_;
};

}  // namespace autokernel::test
