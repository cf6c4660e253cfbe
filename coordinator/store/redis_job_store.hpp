#pragma once

#include <chrono>
#include <map>
#include <string>

#include "coordinator/store/job_store.hpp"
#include "coordinator/store/redis_connection.hpp"
#include "coordinator/store/script.hpp"

namespace autokernel::store {

struct RedisStoreOptions {
  RedisAddress address;
  std::string queue = "default";
  /// For connecting and for each answer. A disk may take a second to sync; a Redis that hangs is found by this.
  std::chrono::milliseconds timeout{5000};
  ScriptSet scripts;
};

/// Every change of these numbers is a format that older programs refuse.
inline constexpr std::string_view kSchema = "1";

/// JobStore over Redis 7: keys "ak:{queue}:…", one Lua script for each transition. Connects when it is used and again
/// after every break, and checks each time that the server writes everything to disk before it answers.
/// It never waits between attempts: that is the caller's (StoreThread backs off).
class RedisJobStore final : public JobStore {
 public:
  explicit RedisJobStore(RedisStoreOptions options);

  [[nodiscard]] Result<Epoch> takeover(Epoch at_least) override;
  [[nodiscard]] std::vector<Result<Outcome>> apply(std::span<const Transition> transitions) override;
  [[nodiscard]] Result<Snapshot> adopt() override;
  [[nodiscard]] Result<Counts> counts() override;
  [[nodiscard]] Result<EndingsPage> finished_since(const std::string& cursor, std::size_t limit) override;
  [[nodiscard]] Result<std::string> spec_of(JobId job) override;

 private:
  using Command = RedisConnection::Command;
  [[nodiscard]] Result<void> ready();
  [[nodiscard]] Result<void> load_scripts();
  [[nodiscard]] std::vector<Result<Reply>> run_scripts(const std::vector<Command>& commands);
  [[nodiscard]] Command call(std::string_view script, std::vector<std::string> arguments) const;
  [[nodiscard]] std::string key(std::string_view name) const;
  [[nodiscard]] Result<std::vector<WaitingJob>> waiting_jobs(const std::string& zset, bool delayed);
  [[nodiscard]] Result<std::vector<LeasedJob>> leased_jobs();
  [[nodiscard]] Result<void> fetch_records(std::vector<Ending>& endings);

  RedisStoreOptions options_;
  std::string prefix_;
  RedisConnection connection_;
  std::map<std::string, std::string, std::less<>> digests_;  ///< script → what EVALSHA wants
  Epoch epoch_;
};

}  // namespace autokernel::store
