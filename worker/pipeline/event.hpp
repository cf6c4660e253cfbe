#pragma once

#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>
#include <variant>

#include "common/protocol/messages.hpp"

namespace autokernel::pipeline {

/// The job moved on; kBuilding and kRunning mean that work on it has begun.
struct PhaseChanged {
  LeaseToken token;
  protocol::Phase phase = protocol::Phase::kBuilding;
  bool begun = false;
};
struct StageEnded {
  LeaseToken token;
  protocol::StageReport stage;
};
/// Its place is free again. The last event of a job, unless it was cancelled.
struct JobFinished {
  LeaseToken token;
  protocol::Record record;
};
/// Its place is free again, without a result: it was cancelled. The last event of a job.
struct JobDropped {
  LeaseToken token;
};
using Event = std::variant<PhaseChanged, StageEnded, JobFinished, JobDropped>;

/// From lanes and builders to the thread that owns the socket. `notify` wakes it; it may be called from any thread.
class EventQueue {
 public:
  explicit EventQueue(std::function<void()> notify) : notify_(std::move(notify)) {}

  void push(Event event) {
    {
      const std::lock_guard lock(mutex_);
      events_.push_back(std::move(event));
    }
    notify_();
  }

  /// The oldest event; nullopt when there is none. Never blocks.
  [[nodiscard]] std::optional<Event> pop() {
    const std::lock_guard lock(mutex_);
    if (events_.empty()) return std::nullopt;
    Event event = std::move(events_.front());
    events_.pop_front();
    return event;
  }

 private:
  std::function<void()> notify_;
  std::mutex mutex_;
  std::deque<Event> events_;
};

}  // namespace autokernel::pipeline
