#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/clock/clock.hpp"
#include "common/protocol/messages.hpp"
#include "common/result/result.hpp"

namespace autokernel::client {

struct QueuedJob {
  std::string submit_key;
  double priority = 0;
  protocol::JobSpec spec;
};

/// Gets a set of jobs through the queue: submits each until it is acknowledged, watches until each has ended. Decides
/// only; whoever owns the socket sends what due() gives and hands over what comes back. Any message may be lost or
/// doubled: submitting again is free, and a finished job is reported once. What was quarantined before it was submitted
/// here says nothing: submitting gave it a new life.
class JobTracker {
 public:
  struct Settings {
    std::size_t window = 16;                        ///< submits without an answer
    std::chrono::milliseconds reply_timeout{5000};  ///< then the message is sent again
    std::chrono::milliseconds watch_interval{200};
    std::chrono::milliseconds status_interval{1000};
    std::uint64_t watch_limit = 64;
  };

  JobTracker(const Clock& clock, std::vector<QueuedJob> jobs, Settings settings);
  JobTracker(const Clock& clock, std::vector<QueuedJob> jobs) : JobTracker(clock, std::move(jobs), Settings{}) {}

  /// What to send now.
  [[nodiscard]] std::vector<protocol::ClientMessage> due();

  /// The jobs of ours that this message reports as ended, each once in the tracker's life. kInvalid, kInternal: the
  /// coordinator refuses us; there is no use in going on.
  [[nodiscard]] Result<std::vector<protocol::FinishedJob>> accept(const protocol::ToClientMessage& message);

  /// The connection is a new one: whatever was not answered is sent again.
  void reconnected();

  [[nodiscard]] bool done() const { return unfinished_ == 0; }
  [[nodiscard]] std::size_t unfinished() const { return unfinished_; }
  /// How long the coordinator has not answered something that waits for an answer.
  [[nodiscard]] std::chrono::milliseconds silence() const;
  [[nodiscard]] const std::optional<protocol::StatusReply>& status() const { return status_; }

 private:
  enum class State { kToSubmit, kSubmitted, kAcknowledged, kFinished };
  struct Entry {
    QueuedJob job;
    State state = State::kToSubmit;
    Clock::TimePoint not_before;                     ///< after BUSY
    Clock::TimePoint deadline;                       ///< of the answer
    std::uint64_t number = 0;                        ///< the job's, as acknowledged
    std::optional<protocol::FinishedJob> unclaimed;  ///< a quarantine of a job that is not, or not yet, known as ours
  };

  void add_submits(Clock::TimePoint now, std::vector<protocol::ClientMessage>& messages);
  void finish(const protocol::FinishedJob& job, std::vector<protocol::FinishedJob>& finished);

  const Clock& clock_;
  Settings settings_;
  std::vector<Entry> entries_;
  std::map<std::string, std::size_t> by_key_;
  std::deque<std::size_t> to_submit_;
  std::size_t in_flight_ = 0;
  std::size_t unfinished_;
  std::string cursor_;
  Clock::TimePoint next_watch_;
  Clock::TimePoint next_status_;
  bool watching_ = false;  ///< a Watch waits for its answer
  Clock::TimePoint last_answer_;
  std::optional<protocol::StatusReply> status_;
};

}  // namespace autokernel::client
