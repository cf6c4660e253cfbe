#pragma once

#include <memory>
#include <optional>

#include "common/clock/clock.hpp"
#include "common/system/channel.hpp"
#include "worker/messages/judge.hpp"
#include "worker/runner/judge/candidate_turn.hpp"

namespace autokernel::judge {

/// One judge process: prepares a problem, then takes candidates' turns and baselines until the agent closes its
/// channel. Trusted: nothing of a candidate is ever run or unpickled here. Main thread only, holds the GIL.
class Judge {
 public:
  explicit Judge(system::Channel agent) : agent_(std::move(agent)) {}

  /// The process's exit code: 0 when the agent is done with it, or the problem was refused; 3 when this machine is at
  /// fault (its reason is on stderr); 1 after a message that makes no sense.
  int run();

 private:
  /// Once; the exit code where it fails.
  [[nodiscard]] int open(protocol::DeviceKind device);
  [[nodiscard]] int prepare(messages::Prepare request);
  [[nodiscard]] Result<void> on_candidate(messages::JudgeCandidate order, system::UniqueFd fd);
  [[nodiscard]] Result<void> on_time_reference();

  /// kExhausted: the arena does not fit.
  [[nodiscard]] Result<void> make_bench(bool with_weights);
  [[nodiscard]] protocol::Record fresh_record() const;
  [[nodiscard]] Result<void> send(const messages::FromJudge& message);
  [[nodiscard]] Result<FreshCandidate> receive_candidate(const std::string& reason);

  system::Channel agent_;
  const SteadyClock clock_;
  PhaseClock phases_{clock_};
  messages::Prepare request_;
  std::unique_ptr<runner::Device> device_;
  std::optional<compare::Checksummer> sums_;
  std::optional<PreparedProblem> problem_;
  std::optional<Workbench> bench_;
};

}  // namespace autokernel::judge
