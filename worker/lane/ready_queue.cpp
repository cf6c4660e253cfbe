#include "worker/lane/ready_queue.hpp"

#include <algorithm>
#include <utility>

namespace autokernel::lane {

void ReadyQueue::push(LaneJob job) {
  {
    const std::lock_guard lock(mutex_);
    entries_.push_back(Entry{std::move(job)});
  }
  changed_.notify_all();  // not notify_one: the lane that wakes may be of another device
}

std::deque<ReadyQueue::Entry>::iterator ReadyQueue::choose(protocol::DeviceKind device,
                                                           const std::string& warm_judge_key) {
  const auto fits = [&](const Entry& entry) { return runs_on(entry.job.dispatch.spec.candidate.needs, device); };
  const auto first = std::find_if(entries_.begin(), entries_.end(), fits);
  if (first == entries_.end() || first->passes >= kMaxPasses) return first;
  const auto warm = std::find_if(
      first, entries_.end(), [&](const Entry& entry) { return entry.job.judge_key == warm_judge_key && fits(entry); });
  if (warm == entries_.end() || warm == first) return first;
  ++first->passes;
  return warm;
}

std::optional<LaneJob> ReadyQueue::take(protocol::DeviceKind device, const std::string& warm_judge_key) {
  std::unique_lock lock(mutex_);
  for (;;) {
    if (closed_) return std::nullopt;
    const auto chosen = choose(device, warm_judge_key);
    if (chosen != entries_.end()) {
      LaneJob job = std::move(chosen->job);
      entries_.erase(chosen);
      return job;
    }
    changed_.wait(lock);
  }
}

bool ReadyQueue::remove(const LeaseToken& token) {
  const std::lock_guard lock(mutex_);
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const Entry& entry) { return LeaseToken(entry.job.dispatch.token) == token; });
  if (found == entries_.end()) return false;
  entries_.erase(found);
  return true;
}

void ReadyQueue::close() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  changed_.notify_all();
}

}  // namespace autokernel::lane
