#include "coordinator/store/in_memory_job_store.hpp"

#include <algorithm>
#include <charconv>

namespace autokernel::store {
namespace {

double place(std::uint64_t seq, double priority) { return static_cast<double>(seq) - 1000 * priority; }

WaitingJob waiting(JobId id, const InMemoryDatabase::Job& job) {
  return {id,        job.submitted.needs, job.submitted.problem,
          job.score, job.due_ms,          {job.crashed_on.begin(), job.crashed_on.end()}};
}

}  // namespace

Result<Epoch> InMemoryJobStore::takeover(Epoch at_least) {
  database_->epoch = std::max(database_->epoch, at_least.value) + 1;
  epoch_ = database_->epoch;
  return Epoch{epoch_};
}

std::vector<Result<Outcome>> InMemoryJobStore::apply(std::span<const Transition> transitions) {
  std::vector<Result<Outcome>> outcomes;
  for (const Transition& transition : transitions) {
    if (epoch_ != database_->epoch) {
      outcomes.emplace_back(fail(Code::kStale, "another coordinator leads under epoch {}", database_->epoch));
    } else {
      outcomes.push_back(std::visit([this](const auto& one) { return run(one); }, transition));
    }
  }
  return outcomes;
}

InMemoryJobStore::Job* InMemoryJobStore::holder(const LeaseToken& token) {
  const auto found = database_->leased.find(token);
  return found == database_->leased.end() ? nullptr : &database_->jobs.at(found->second);
}

void InMemoryJobStore::end_lease(Job& job) {
  if (job.token) database_->leased.erase(*job.token);
  job.token.reset();
}

void InMemoryJobStore::end(JobId id, Job& job, JobState state, protocol::JobEnd end) {
  job.state = state;
  database_->endings.emplace_back(id, end);
}

Result<Outcome> InMemoryJobStore::run(const Submit& submit) {
  const auto known = database_->dedup.find(submit.key.value);
  if (known != database_->dedup.end() && database_->jobs.at(known->second).state != JobState::kQuarantined) {
    return SubmitOutcome{known->second, true, 0};
  }
  const JobId id{++database_->seq};
  Job& job = database_->jobs[id];
  job.submitted = submit;
  job.score = place(id.value, submit.priority);
  database_->dedup[submit.key.value] = id;
  return SubmitOutcome{id, false, job.score};
}

Result<Outcome> InMemoryJobStore::run(const Lease& lease) {
  if (const Job* held = holder(lease.token)) {
    if (database_->leased.at(lease.token) != lease.job) {
      return fail(Code::kInternal, "lease: the token holds job {}", database_->leased.at(lease.token).value);
    }
    return LeaseOutcome{true, held->attempt, held->crashes, held->submitted.spec};
  }
  const auto found = database_->jobs.find(lease.job);
  if (found == database_->jobs.end() || found->second.state != JobState::kQueued) return LeaseOutcome{};
  Job& job = found->second;
  job.state = JobState::kLeased;
  job.token = lease.token;
  job.worker = lease.worker;
  job.incarnation = lease.incarnation;
  ++job.attempt;
  database_->leased.emplace(lease.token, lease.job);
  return LeaseOutcome{true, job.attempt, job.crashes, job.submitted.spec};
}

Result<Outcome> InMemoryJobStore::run(const Started& started) {
  Job* job = holder(started.token);
  if (job != nullptr) job->state = JobState::kRunning;
  return StartedOutcome{job != nullptr};
}

Result<Outcome> InMemoryJobStore::run(const Complete& complete) {
  const auto recorded = database_->recorded.find(complete.token);
  if (recorded != database_->recorded.end()) return CompleteOutcome{protocol::AckKind::kDup, recorded->second};
  Job* job = holder(complete.token);
  if (job == nullptr || job->worker != complete.worker) return CompleteOutcome{};
  const JobId id = database_->leased.at(complete.token);
  end_lease(*job);
  job->result = complete.record;
  job->failure.clear();
  job->crashed_on.clear();
  database_->recorded.emplace(complete.token, id);
  if (!complete.history.empty()) database_->history[complete.problem] = complete.history;
  end(id, *job, JobState::kDone, protocol::JobEnd::kDone);
  return CompleteOutcome{protocol::AckKind::kStored, id};
}

Result<Outcome> InMemoryJobStore::run(const Lost& lost) {
  Job* job = holder(lost.token);
  if (job == nullptr) return LostOutcome{};
  const JobId id = database_->leased.at(lost.token);
  end_lease(*job);
  const bool crash = lost.cause == LossCause::kInfrastructure ||
                     (lost.cause == LossCause::kSilent && job->state == JobState::kRunning);
  if (!crash) {
    job->state = JobState::kQueued;
    return LostOutcome{true, JobState::kQueued, id, job->score, job->crashes};
  }
  if (!lost.record.empty()) job->failure = lost.record;
  job->crashed_on.insert(job->worker.value);
  ++job->crashes;
  if (job->crashes >= lost.crash_limit && (job->crashed_on.size() >= 2 || lost.only_worker)) {
    end(id, *job, JobState::kQuarantined, protocol::JobEnd::kQuarantined);
  } else {
    job->state = JobState::kDelayed;
    job->due_ms = lost.due_ms;
  }
  return LostOutcome{true, job->state, id, 0, job->crashes};
}

Result<Outcome> InMemoryJobStore::run(const Cancel& cancel) {
  const auto found = database_->jobs.find(cancel.job);
  if (found == database_->jobs.end()) return CancelOutcome{};
  Job& job = found->second;
  if (job.state == JobState::kCancelled) return CancelOutcome{true, std::nullopt};
  if (job.state == JobState::kDone || job.state == JobState::kQuarantined) return CancelOutcome{};
  const auto token = job.token;
  end_lease(job);
  job.failure.clear();
  job.crashed_on.clear();
  end(cancel.job, job, JobState::kCancelled, protocol::JobEnd::kCancelled);
  return CancelOutcome{true, token};
}

Result<Outcome> InMemoryJobStore::run(const Due& due) {
  const auto found = database_->jobs.find(due.job);
  if (found == database_->jobs.end()) return DueOutcome{};
  Job& job = found->second;
  if (job.state == JobState::kDelayed) {
    job.score = place(++database_->seq, job.submitted.priority);
    job.state = JobState::kQueued;
  }
  return DueOutcome{job.state == JobState::kQueued, job.state == JobState::kQueued ? job.score : 0};
}

Result<Snapshot> InMemoryJobStore::adopt() {
  Snapshot snapshot;
  for (const auto& [id, job] : database_->jobs) {
    if (job.state == JobState::kQueued) snapshot.queued.push_back(waiting(id, job));
    if (job.state == JobState::kDelayed) snapshot.delayed.push_back(waiting(id, job));
    if (job.token) {
      snapshot.leased.push_back({*job.token, id, job.worker, job.incarnation, job.state == JobState::kRunning,
                                 job.attempt, job.crashes, job.submitted.spec});
    }
  }
  snapshot.history = database_->history;
  return snapshot;
}

Result<Counts> InMemoryJobStore::counts() {
  Counts counts;
  for (const auto& [state, name] : names_of(JobState{})) counts[state] = 0;
  for (const auto& [id, job] : database_->jobs) ++counts[job.state];
  return counts;
}

Result<EndingsPage> InMemoryJobStore::finished_since(const std::string& cursor, std::size_t limit) {
  std::size_t from = 0;
  if (!cursor.empty()) {
    const auto parsed = std::from_chars(cursor.data(), cursor.data() + cursor.size(), from);
    if (parsed.ec != std::errc{} || parsed.ptr != cursor.data() + cursor.size()) {
      return fail(Code::kInvalid, "'{}' is no cursor: start with an empty one", cursor);
    }
  }
  EndingsPage page;
  std::size_t bytes = 0;
  std::size_t next = std::min(from, database_->endings.size());
  for (; next < database_->endings.size() && page.endings.size() < limit && bytes < kPageBytes; ++next) {
    const auto& [id, end] = database_->endings[next];
    const Job& job = database_->jobs.at(id);
    page.endings.push_back({job.submitted.key, id, end, end == protocol::JobEnd::kDone ? job.result : job.failure});
    bytes += page.endings.back().record.size();
  }
  page.cursor = std::to_string(next);
  return page;
}

Result<std::string> InMemoryJobStore::spec_of(JobId job) {
  const auto found = database_->jobs.find(job);
  if (found == database_->jobs.end()) return fail(Code::kNotFound, "no job {}", job.value);
  return found->second.submitted.spec;
}

}  // namespace autokernel::store
