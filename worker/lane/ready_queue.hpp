#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <string>

#include "worker/lane/lane_job.hpp"

namespace autokernel::lane {

/// Jobs that wait for a lane, in the order the coordinator's priority gave them. A lane may take a later one whose
/// judge it keeps warm, but the first is passed over at most kMaxPasses times. Thread-safe.
class ReadyQueue {
 public:
  static constexpr int kMaxPasses = 16;

  void push(LaneJob job);

  /// Blocks until there is a job that runs on `device`; nullopt once closed.
  [[nodiscard]] std::optional<LaneJob> take(protocol::DeviceKind device, const std::string& warm_judge_key);

  /// Takes a job out again before any lane has it.
  [[nodiscard]] bool remove(const LeaseToken& token);

  /// Lanes get nothing more; what waits is left.
  void close();

 private:
  struct Entry {
    LaneJob job;
    int passes = 0;
  };
  [[nodiscard]] std::deque<Entry>::iterator choose(protocol::DeviceKind device, const std::string& warm_judge_key);

  std::mutex mutex_;
  std::condition_variable changed_;
  bool closed_ = false;
  std::deque<Entry> entries_;
};

}  // namespace autokernel::lane
