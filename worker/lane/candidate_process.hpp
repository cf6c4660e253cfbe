#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "worker/lane/lane_job.hpp"
#include "worker/lane/lane_resources.hpp"
#include "worker/runner_process/scratch_folder.hpp"

namespace autokernel::lane {

/// A fresh process for one candidate, with a folder of its own; the judge talks to it, we only start and end it.
/// Lane thread only. The destructor kills it and removes the folder.
class CandidateProcess {
 public:
  /// Starts the process and has it open its device, which it does meanwhile. `judge_end` is the other end of its
  /// channel, to be handed to the judge.
  struct Started;
  [[nodiscard]] static Outcome<Started> start(const LaneResources& resources, const LaneJob& job);

  [[nodiscard]] runner_process::Cancellation::Attachment attach_to(runner_process::Cancellation& cancellation);

  /// After it vanished by itself: corrects the record's verdict and detail by how the process ended.
  void explain_end(protocol::Record& record);

  /// Kills it and waits until it is gone: its device memory must be free before the next one starts.
  void end();

 private:
  CandidateProcess(runner_process::Zygote& zygote, runner_process::ScratchFolder folder,
                   runner_process::RunnerChild child);

  runner_process::Zygote* zygote_;
  runner_process::ScratchFolder folder_;
  runner_process::RunnerChild child_;
  std::uint64_t out_of_memory_kills_;
};

struct CandidateProcess::Started {
  CandidateProcess process;
  system::Channel judge_end;
};

}  // namespace autokernel::lane
