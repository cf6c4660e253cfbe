#pragma once

#include <memory>
#include <optional>
#include <span>

#include "common/system/channel.hpp"
#include "worker/messages/candidate.hpp"
#include "worker/runner/candidate/subject.hpp"
#include "worker/runner/candidate/turns.hpp"
#include "worker/runner/device/arena.hpp"
#include "worker/runner/device/device.hpp"

namespace autokernel::runner {

/// The candidate process's side of its talk with the judge: one answer per question. Everything that is measured or
/// copied here is ours, but lives in a process that the candidate's native code can reach: the judge takes none of it
/// on trust.
class CandidateSession {
 public:
  /// `channel` is the judge's, for what is said in the middle of a block; answers are the caller's to send.
  explicit CandidateSession(system::Channel& channel) : turns_(channel) {}

  /// `fd` came with the message: the arena's memory on the CPU. nullopt: OpenDevice has no answer.
  [[nodiscard]] std::optional<messages::FromCandidate> answer(const messages::ToCandidate& question,
                                                              system::UniqueFd fd);

 private:
  template <class Answer>
  using Outcome = Attempt<Answer>;

  [[nodiscard]] Outcome<messages::Loaded> on(const messages::Load& request);
  [[nodiscard]] Outcome<messages::Instantiated> on(const messages::Instantiate& request);
  [[nodiscard]] Outcome<messages::Forwarded> on(const messages::Forward& request);
  [[nodiscard]] Outcome<messages::BlockTimed> on(const messages::TimeBlock& request);
  [[nodiscard]] Outcome<messages::Launches> on(const messages::TraceLaunches& request);

  /// Once, and kept for Load, which tells what went wrong.
  void open(protocol::DeviceKind device);
  /// Seeded, poisoned, called, waited for.
  [[nodiscard]] Attempt<void> forward_once(std::uint64_t seed);
  [[nodiscard]] Attempt<void> make_ready(std::span<const messages::CallInputs> calls,
                                         const messages::ResultPlace& place);
  [[nodiscard]] Attempt<void> wait();
  void explain(messages::Failed& failed);

  Turns turns_;
  system::UniqueFd arena_fd_;
  std::optional<Result<std::unique_ptr<Device>>> opened_;  ///< ahead of Load, which takes it
  std::unique_ptr<Device> device_;
  std::optional<Arena> arena_;
  std::unique_ptr<Subject> subject_;
};

}  // namespace autokernel::runner
