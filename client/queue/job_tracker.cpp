#include "client/queue/job_tracker.hpp"

#include <algorithm>
#include <utility>

namespace autokernel::client {

using protocol::ClientMessage;
using protocol::FinishedJob;

JobTracker::JobTracker(const Clock& clock, std::vector<QueuedJob> jobs, Settings settings)
    : clock_(clock),
      settings_(settings),
      unfinished_(jobs.size()),
      next_watch_(clock.now()),
      next_status_(clock.now()),
      last_answer_(clock.now()) {
  entries_.reserve(jobs.size());
  for (QueuedJob& job : jobs) {
    const bool fresh = by_key_.emplace(job.submit_key, entries_.size()).second;
    AUTOKERNEL_CHECK(fresh);
    to_submit_.push_back(entries_.size());
    entries_.push_back(Entry{std::move(job), State::kToSubmit, clock.now(), clock.now()});
  }
}

void JobTracker::add_submits(Clock::TimePoint now, std::vector<ClientMessage>& messages) {
  // An answer that does not come was lost with its question, or the other way round: the key makes both the same.
  for (std::size_t index = 0; index < entries_.size() && in_flight_ > 0; ++index) {
    Entry& entry = entries_[index];
    if (entry.state != State::kSubmitted || entry.deadline > now) continue;
    entry.state = State::kToSubmit;
    to_submit_.push_front(index);
    --in_flight_;
  }
  for (std::size_t turns = to_submit_.size(); turns > 0 && in_flight_ < settings_.window; --turns) {
    const std::size_t index = to_submit_.front();
    to_submit_.pop_front();
    Entry& entry = entries_[index];
    if (entry.state != State::kToSubmit) continue;  // it ended meanwhile: an earlier run had submitted it
    if (entry.not_before > now) {
      to_submit_.push_back(index);
      continue;
    }
    entry.state = State::kSubmitted;
    entry.deadline = now + settings_.reply_timeout;
    ++in_flight_;
    messages.emplace_back(protocol::Submit{entry.job.submit_key, entry.job.priority, entry.job.spec});
  }
}

std::vector<ClientMessage> JobTracker::due() {
  std::vector<ClientMessage> messages;
  if (done()) return messages;
  const auto now = clock_.now();
  add_submits(now, messages);
  if (now >= next_watch_) {
    messages.emplace_back(protocol::Watch{cursor_, settings_.watch_limit});
    watching_ = true;
    next_watch_ = now + settings_.reply_timeout;  // the answer brings it forward
  }
  if (now >= next_status_) {
    messages.emplace_back(protocol::StatusRequest{});
    next_status_ = now + settings_.status_interval;
  }
  return messages;
}

void JobTracker::finish(const FinishedJob& job, std::vector<FinishedJob>& finished) {
  const auto found = by_key_.find(job.submit_key);
  if (found == by_key_.end()) return;  // another run's, on a shared coordinator
  Entry& entry = entries_[found->second];
  if (entry.state == State::kFinished) return;
  if (job.end == protocol::JobEnd::kQuarantined && job.job != entry.number) {
    entry.unclaimed = job;
    return;
  }
  if (entry.state == State::kSubmitted) --in_flight_;
  entry.state = State::kFinished;
  entry.job.spec = {};  // its sources are not needed any more
  --unfinished_;
  finished.push_back(job);
}

Result<std::vector<FinishedJob>> JobTracker::accept(const protocol::ToClientMessage& message) {
  std::vector<FinishedJob> finished;
  const auto now = clock_.now();
  last_answer_ = now;
  const auto in_flight = [&](const std::string& key) -> Entry* {
    const auto found = by_key_.find(key);
    if (found == by_key_.end() || entries_[found->second].state != State::kSubmitted) return nullptr;
    return &entries_[found->second];
  };
  if (const auto* submitted = std::get_if<protocol::Submitted>(&message)) {
    if (Entry* entry = in_flight(submitted->submit_key)) {
      entry->state = State::kAcknowledged;
      entry->number = submitted->job;
      --in_flight_;
      if (const auto ended = std::exchange(entry->unclaimed, std::nullopt)) finish(*ended, finished);
    }
  } else if (const auto* busy = std::get_if<protocol::Busy>(&message)) {
    if (Entry* entry = in_flight(busy->submit_key)) {
      entry->state = State::kToSubmit;
      entry->not_before = now + std::chrono::milliseconds(std::max<std::int64_t>(busy->retry_after_ms, 10));
      to_submit_.push_back(by_key_.at(busy->submit_key));
      --in_flight_;
    }
  } else if (const auto* batch = std::get_if<protocol::Finished>(&message)) {
    for (const FinishedJob& job : batch->jobs) finish(job, finished);
    cursor_ = batch->cursor;
    watching_ = false;
    const bool more = batch->jobs.size() >= settings_.watch_limit;
    next_watch_ = more ? now : now + settings_.watch_interval;
  } else if (const auto* status = std::get_if<protocol::StatusReply>(&message)) {
    status_ = *status;
  } else if (const auto* reject = std::get_if<protocol::Reject>(&message)) {
    return fail(reject->code == protocol::RejectCode::kMalformed ? Code::kInternal : Code::kInvalid,
                "the coordinator refuses this client ({}): {}", protocol::name_of(reject->code), reject->message);
  }
  return finished;
}

void JobTracker::reconnected() {
  for (std::size_t index = 0; index < entries_.size(); ++index) {
    if (entries_[index].state != State::kSubmitted) continue;
    entries_[index].state = State::kToSubmit;
    to_submit_.push_back(index);
  }
  in_flight_ = 0;
  watching_ = false;
  next_watch_ = clock_.now();
  next_status_ = clock_.now();
  last_answer_ = clock_.now();
}

std::chrono::milliseconds JobTracker::silence() const {
  if (!watching_ && in_flight_ == 0) return std::chrono::milliseconds(0);
  return std::chrono::duration_cast<std::chrono::milliseconds>(clock_.now() - last_answer_);
}

}  // namespace autokernel::client
