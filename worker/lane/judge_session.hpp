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

/// A judge process: spawned, then prepared with a problem. Lane thread only. The destructor kills it.
class JudgeSession {
 public:
  /// Starts the process and has it open its device, which it does meanwhile.
  [[nodiscard]] static Outcome<std::unique_ptr<JudgeSession>> spawn(const LaneResources& resources);

  /// Waits until its device is open. The failure is this machine's.
  [[nodiscard]] Outcome<void> await_device(std::chrono::milliseconds limit);

  /// Tells it its problem; await_prepared follows. Once.
  [[nodiscard]] Outcome<void> begin_preparing(const protocol::JobSpec& spec);
  /// The failure says whether the problem, or this machine, is at fault; the session is of no more use then.
  [[nodiscard]] Outcome<void> await_prepared(std::chrono::milliseconds limit);

  /// judge_key_of the spec it was prepared with; empty before.
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
  /// What it answers to OpenDevice, then to Prepare; nullopt when it says nothing for `limit`.
  template <class Answer>
  [[nodiscard]] Outcome<std::optional<Answer>> answer(std::chrono::milliseconds limit);
  [[nodiscard]] Failure died_in_preparation();
  [[nodiscard]] std::string last_output() const;

  runner_process::Zygote& zygote_;
  const protocol::DeviceKind device_;
  runner_process::ScratchFolder folder_;
  runner_process::RunnerChild child_;
  std::uint64_t out_of_memory_kills_;
  bool device_open_ = false;
  std::string key_;
  std::string problem_;
  messages::Prepared prepared_;
};

}  // namespace autokernel::lane
