#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "worker/lane/lane_resources.hpp"
#include "worker/messages/judge.hpp"
#include "worker/runner_process/cancellation.hpp"
#include "worker/runner_process/scratch_folder.hpp"

namespace autokernel::lane {

/// How long a judge may take to load a problem and instantiate its reference.
inline constexpr auto kPrepareLimit = std::chrono::seconds(600);

/// A judge process that has its problem prepared. Lane thread only. The destructor kills it.
class JudgeSession {
 public:
  /// Spawns and prepares a judge. The failure says whether the problem, or this machine, is at fault.
  [[nodiscard]] static Outcome<std::unique_ptr<JudgeSession>> start(
      const LaneResources& resources, const protocol::JobSpec& spec, runner_process::Cancellation& cancellation,
      std::chrono::milliseconds prepare_limit = kPrepareLimit);

  /// judge_key_of the spec it was started with.
  [[nodiscard]] const std::string& key() const { return key_; }
  [[nodiscard]] const std::string& problem() const { return problem_; }
  [[nodiscard]] const messages::Prepared& prepared() const { return prepared_; }

  [[nodiscard]] bool alive();

  /// Kills it when `cancellation` is cancelled, for as long as the attachment lives.
  [[nodiscard]] runner_process::Cancellation::Attachment attach_to(runner_process::Cancellation& cancellation);

  [[nodiscard]] Outcome<void> send(const messages::ToJudge& message, const std::vector<int>& fds = {});

  /// The judge's next message; nullopt when it says nothing for `limit`. Failure kInfrastructure: it died, or talks
  /// nonsense.
  [[nodiscard]] Outcome<std::optional<messages::FromJudge>> receive(std::chrono::milliseconds limit);

  /// Kills it and waits until it is gone, so that its device memory is free.
  void end();

 private:
  JudgeSession(const LaneResources& resources, runner_process::ScratchFolder folder, runner_process::RunnerChild child);
  [[nodiscard]] Outcome<void> prepare(const LaneResources& resources, const protocol::JobSpec& spec,
                                      std::chrono::milliseconds limit);
  [[nodiscard]] Failure died_in_preparation();
  [[nodiscard]] std::string last_output() const;

  runner_process::Zygote& zygote_;
  runner_process::ScratchFolder folder_;
  runner_process::RunnerChild child_;
  std::uint64_t out_of_memory_kills_;
  std::string key_;
  std::string problem_;
  messages::Prepared prepared_;
};

}  // namespace autokernel::lane
