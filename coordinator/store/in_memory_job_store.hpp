#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "coordinator/store/job_store.hpp"

namespace autokernel::store {

/// What a Redis would hold; several stores may share one, as several coordinators share a Redis.
struct InMemoryDatabase {
  struct Job {
    Submit submitted;
    JobState state = JobState::kQueued;
    double score = 0;
    std::int64_t due_ms = 0;
    std::optional<LeaseToken> token;
    WorkerId worker;
    Incarnation incarnation;
    std::int64_t attempt = 0;
    std::int64_t crashes = 0;
    std::set<std::string> crashed_on;
    std::string failure;
    std::string result;
  };
  std::uint64_t epoch = 0;
  std::uint64_t seq = 0;
  std::map<JobId, Job> jobs;
  std::map<std::string, JobId> dedup;
  std::map<LeaseToken, JobId> leased;
  std::map<LeaseToken, JobId> recorded;
  std::map<std::string, std::string> history;
  std::vector<std::pair<JobId, protocol::JobEnd>> endings;
};

/// The contract of JobStore without Redis, for tests of what stands above it. Keeps nothing.
class InMemoryJobStore final : public JobStore {
 public:
  explicit InMemoryJobStore(std::shared_ptr<InMemoryDatabase> database) : database_(std::move(database)) {}

  [[nodiscard]] Result<Epoch> takeover(Epoch at_least) override;
  [[nodiscard]] std::vector<Result<Outcome>> apply(std::span<const Transition> transitions) override;
  [[nodiscard]] Result<Snapshot> adopt() override;
  [[nodiscard]] Result<Counts> counts() override;
  [[nodiscard]] Result<EndingsPage> finished_since(const std::string& cursor, std::size_t limit) override;
  [[nodiscard]] Result<std::string> spec_of(JobId job) override;

 private:
  using Job = InMemoryDatabase::Job;
  Result<Outcome> run(const Submit& submit);
  Result<Outcome> run(const Lease& lease);
  Result<Outcome> run(const Started& started);
  Result<Outcome> run(const Complete& complete);
  Result<Outcome> run(const Lost& lost);
  Result<Outcome> run(const Cancel& cancel);
  Result<Outcome> run(const Due& due);
  Job* holder(const LeaseToken& token);
  void end_lease(Job& job);
  void end(JobId id, Job& job, JobState state, protocol::JobEnd end);

  std::shared_ptr<InMemoryDatabase> database_;
  std::uint64_t epoch_ = 0;
};

}  // namespace autokernel::store
