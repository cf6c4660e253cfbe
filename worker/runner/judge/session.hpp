#pragma once

#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "common/clock/clock.hpp"
#include "common/protocol/verdict.hpp"
#include "common/system/channel.hpp"
#include "common/system/process_group.hpp"
#include "worker/messages/candidate.hpp"

namespace autokernel::judge {

/// Why a candidate could not go on: a verdict to be, not an Error.
struct Fault {
  protocol::Verdict verdict = protocol::Verdict::kRuntimeError;
  std::string cheating_kind;  ///< with kCheating
  std::string detail;
  bool vanished = false;         ///< its channel closed
  bool process_is_lost = false;  ///< vanished, hung or not to be trusted: a fresh process is needed to go on
  bool device_suspect = false;   ///< it said that the device failed: the judge must see whether its own still works
};

template <class T>
using Asked = tl::expected<T, Fault>;

[[nodiscard]] Fault fault_with(protocol::Verdict verdict, std::string detail);
/// Dishonesty of that kind (docs/verdicts.md). The process is not to be trusted any more.
[[nodiscard]] Fault cheating(const char* kind, std::string detail);

/// An answer that is no proper message, or answers another question.
[[nodiscard]] Fault senseless(const std::string& what);

/// A candidate's process as it is handed to the judge. Without a group it runs all the time.
struct CandidateEnd {
  system::Channel channel;
  std::optional<system::ProcessGroup> group;
};

/// Waits for the Started that a fresh process says before anything else. When none comes, or what it names is no child
/// of this process's own parent, the channel is closed: the first question finds the process gone.
[[nodiscard]] CandidateEnd meet_candidate(system::Channel channel);

/// The judge's end of one candidate process. Every byte from there is hostile: decoded under tight limits, and an
/// answer of another kind than was asked for ends the session. The process runs while a question is open and is stopped
/// otherwise: left to itself it could slow the reference, or look at the next inputs ahead of its time. Main thread
/// only; blocks in ask().
class CandidateSession {
 public:
  /// `budget_seconds` is the candidate's own time: only waiting for its answers counts against it.
  CandidateSession(CandidateEnd candidate, const Clock& clock, double budget_seconds);

  /// Sends the question and waits for its answer. `fd` goes along when it is not negative.
  template <class Reply>
  [[nodiscard]] Asked<Reply> ask(const messages::ToCandidate& question, int fd = -1) {
    auto answer = exchange(question, fd);
    if (!answer) return tl::unexpected(blamed(std::move(answer).error()));
    if (auto* reply = std::get_if<Reply>(&*answer)) return std::move(*reply);
    return tl::unexpected(
        blamed(senseless("it answered a '" + std::string(protocol::type_of(question)) + "' with another message")));
  }

  [[nodiscard]] double budget_left() const { return budget_seconds_; }
  [[nodiscard]] double waited_seconds() const { return waited_seconds_; }

  /// Whether the process is gone, hung or not to be trusted.
  [[nodiscard]] bool is_lost() const { return !channel_.valid(); }
  /// What it failed at last, if it ever did.
  [[nodiscard]] const std::optional<Fault>& last_fault() const { return last_fault_; }

  /// A fresh process takes over, within what is left of the budget.
  void replace(CandidateEnd candidate);
  void close() { channel_.close(); }
  /// Ends the process. The session is lost.
  void kill();

 private:
  /// Lets the process run, and charges the time. nullopt: the budget is used up.
  [[nodiscard]] Result<std::optional<system::Frame>> wait_for_answer(const messages::ToCandidate& question, int fd);
  [[nodiscard]] Asked<messages::FromCandidate> exchange(const messages::ToCandidate& question, int fd);
  /// Remembers the fault, and ends the session when the process cannot be used any more.
  [[nodiscard]] Fault blamed(Fault fault);

  system::Channel channel_;
  std::optional<system::ProcessGroup> group_;
  const Clock& clock_;
  double budget_seconds_;
  double full_budget_seconds_;
  double waited_seconds_ = 0;
  std::optional<Fault> last_fault_;
};

/// What a candidate's own failure means, by what was asked of it.
[[nodiscard]] Fault fault_from(const messages::Failed& failed, const messages::ToCandidate& question);

/// Checks what a candidate says about the tensors it wrote: sane shapes, and exactly the places that it was given
/// wherever the structure is the expected one. nullopt when all is well.
[[nodiscard]] std::optional<Fault> check_places(const messages::Item& result, const messages::Item& expected);

}  // namespace autokernel::judge
