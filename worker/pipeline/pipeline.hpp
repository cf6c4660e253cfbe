#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "worker/compile/builder_pool.hpp"
#include "worker/devices/utilization.hpp"
#include "worker/lane/lane.hpp"
#include "worker/pipeline/event.hpp"

namespace autokernel::pipeline {

/// From dispatched jobs to records: builders, then the queue of ready jobs, then one lane per device. Builds run ahead
/// of the lanes, so that a GPU does not wait for a compiler. accept() and cancel() come from the agent's thread; events
/// go out through the queue. Jobs are not persistent: a killed worker's jobs are dispatched again.
class Pipeline final : public lane::LaneListener {
 public:
  struct Options {
    std::vector<lane::LaneResources> lanes;  ///< at least one
    std::size_t builders = 1;
    devices::UtilizationSampler* utilization = nullptr;  ///< null on a CPU-only node
  };

  /// `builder`, `gate` and `events` outlive it. `gate` is null where lanes and builds need not be kept apart.
  Pipeline(Options options, const compile::Builder& builder, compile::CpuGate* gate, EventQueue& events);
  /// Cancels everything and waits for it.
  ~Pipeline() override;
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  /// Jobs that can be worked on side by side: lanes and builders.
  [[nodiscard]] std::size_t capacity() const { return lanes_.size() + builders_; }

  /// Takes the job; ends in exactly one JobFinished or JobDropped. May exceed the capacity: the rest waits.
  void accept(const protocol::Dispatch& dispatch);

  /// Kills what the job is doing; JobDropped follows, unless it finished first. Unknown tokens are ignored.
  void cancel(const LeaseToken& token);

  [[nodiscard]] std::string warm_problem() const;
  /// Device id → share of its time in use since start: as the driver says for a GPU, the lane's own time for the CPU.
  [[nodiscard]] std::map<std::string, double> busy() const;

 private:
  struct Job {
    protocol::Dispatch dispatch;
    Clock::TimePoint accepted;
    std::shared_ptr<runner_process::Cancellation> cancellation;
  };

  void lane_began(const lane::LaneJob& job) override;
  void stage_ended(const lane::LaneJob& job, const protocol::StageReport& stage) override;
  void lane_finished(const lane::LaneJob& job, protocol::Record record) override;
  void lane_dropped(const lane::LaneJob& job) override;

  void built(const Job& job, compile::BuildResult build);
  void finish(const LeaseToken& token, protocol::Record record);
  void drop(const LeaseToken& token);
  /// Why this worker cannot do the job at all; empty when it can.
  [[nodiscard]] std::string refusal(const protocol::JobSpec& spec) const;

  const std::size_t builders_;
  const compile::Builder& builder_;
  EventQueue& events_;
  devices::UtilizationSampler* const utilization_;
  const SteadyClock clock_;  // measures, decides nothing
  std::vector<std::string> architectures_;
  std::map<std::string, std::string> environment_;  ///< of records that no lane made

  std::mutex mutex_;
  std::map<LeaseToken, std::shared_ptr<runner_process::Cancellation>> running_;

  lane::ReadyQueue ready_;
  std::unique_ptr<compile::BuilderPool> pool_;
  std::vector<std::unique_ptr<lane::Lane>> lanes_;
};

}  // namespace autokernel::pipeline
