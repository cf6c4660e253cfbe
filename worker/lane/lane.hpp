#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "worker/compile/cpu_gate.hpp"
#include "worker/lane/evaluation.hpp"
#include "worker/lane/ready_queue.hpp"

namespace autokernel::lane {

/// What a lane tells; called on the lane's thread, quick. Exactly one of finished and dropped ends a job.
class LaneListener {
 public:
  virtual ~LaneListener() = default;
  virtual void lane_began(const LaneJob& job) = 0;
  virtual void stage_ended(const LaneJob& job, const protocol::StageReport& stage) = 0;
  virtual void lane_finished(const LaneJob& job, protocol::Record record) = 0;
  virtual void lane_dropped(const LaneJob& job) = 0;  ///< it was cancelled
};

/// One device's thread: takes ready jobs, keeps the judge of the last problem, and turns each job into a full record.
/// A device is never shared: what the lane started is gone before the next job begins.
class Lane {
 public:
  /// `gate` is null on a GPU node. Everything passed outlives the lane.
  Lane(LaneResources resources, ReadyQueue& queue, LaneListener& listener, compile::CpuGate* gate);
  /// Close the queue and cancel the running job before: it waits for that.
  ~Lane();
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  [[nodiscard]] const devices::Device& device() const { return resources_.device; }
  /// Name of the problem whose judge is kept; empty when there is none. Any thread.
  [[nodiscard]] std::string warm_problem() const;
  /// Share of the time since start in which a job was on the lane. Any thread.
  [[nodiscard]] double busy_share() const;

 private:
  void run();
  void work(const LaneJob& job);
  [[nodiscard]] protocol::Record judge(const LaneJob& job, protocol::PhaseSeconds& phases);
  /// A judge that has the job's problem prepared. The job's candidate process, where one was started meanwhile.
  [[nodiscard]] Outcome<std::optional<CandidateProcess::Started>> ready_judge(
      const LaneJob& job, const std::optional<Clock::TimePoint>& deadline, protocol::PhaseSeconds& phases);
  [[nodiscard]] Outcome<std::unique_ptr<JudgeSession>> take_spare_judge();
  /// On a GPU the next problem's judge opens the device while this one's prepares. Without one things only take longer.
  void spawn_spare_judge();
  void retire_judge();
  void describe_environment(protocol::Record& record) const;

  const LaneResources resources_;
  ReadyQueue& queue_;
  LaneListener& listener_;
  compile::CpuGate* const gate_;
  const SteadyClock clock_;
  const Clock::TimePoint start_;
  std::unique_ptr<JudgeSession> judge_;
  std::unique_ptr<JudgeSession> spare_judge_;  ///< no problem yet

  mutable std::mutex mutex_;  // guards the two below, which other threads read
  std::string warm_problem_;
  double busy_seconds_ = 0;
  std::thread thread_;
};

}  // namespace autokernel::lane
