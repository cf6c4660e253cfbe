#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "common/id/id.hpp"
#include "common/protocol/messages.hpp"

/// What may happen to a job: one struct for each transition, each with the script that does it and the outcome it has.
/// All are safe to repeat after a lost answer. docs/protocol.md draws the states.
namespace autokernel::store {

enum class JobState { kQueued, kDelayed, kLeased, kRunning, kDone, kCancelled, kQuarantined };
constexpr auto names_of(JobState) {
  using enum JobState;
  using Name = std::pair<JobState, std::string_view>;
  return std::array{Name{kQueued, "queued"},          Name{kDelayed, "delayed"}, Name{kLeased, "leased"},
                    Name{kRunning, "running"},        Name{kDone, "done"},       Name{kCancelled, "cancelled"},
                    Name{kQuarantined, "quarantined"}};
}

struct SubmitOutcome {
  JobId job;
  bool duplicate = false;
  double score = 0;  ///< its place in Redis' order; 0 for a duplicate
};
/// A key whose job is quarantined gets a new job: what has no verdict may be asked for again.
struct Submit {
  static constexpr std::string_view kScript = "submit";
  using Outcome = SubmitOutcome;
  SubmitKey key;
  protocol::DeviceKind needs = protocol::DeviceKind::kAny;  ///< the job's class
  double priority = 0;                                      ///< head start in line, in thousands of places
  std::string problem;
  std::string spec;  ///< packed protocol::JobSpec
};

struct LeaseOutcome {
  bool leased = false;  ///< false: the job is no longer queued
  std::int64_t attempt = 0;
  std::int64_t crashes = 0;
  std::string spec;
};
struct Lease {
  static constexpr std::string_view kScript = "lease";
  using Outcome = LeaseOutcome;
  LeaseToken token;
  JobId job;
  WorkerId worker;
  Incarnation incarnation;
};

struct StartedOutcome {
  bool current = false;  ///< false: the token is void
};
struct Started {
  static constexpr std::string_view kScript = "started";
  using Outcome = StartedOutcome;
  LeaseToken token;
};

struct CompleteOutcome {
  protocol::AckKind ack = protocol::AckKind::kStale;
  JobId job;  ///< 0 when stale
};
struct Complete {
  static constexpr std::string_view kScript = "complete";
  using Outcome = CompleteOutcome;
  LeaseToken token;
  WorkerId worker;  ///< must hold the lease
  std::string verdict;
  std::string record;  ///< packed protocol::Record
  std::string problem;
  std::string history;  ///< what scheduling learnt of the problem so far, kept for a successor; empty: leave it
};

enum class LossCause {
  kSilent,          ///< the worker fell silent, or denies it: a crash if the job was running
  kReleased,        ///< handed back, or never delivered: no crash, the job keeps its place
  kInfrastructure,  ///< the worker reports that host or device failed: always a crash
};
constexpr auto names_of(LossCause) {
  using enum LossCause;
  return std::array{std::pair{kSilent, std::string_view("silent")}, std::pair{kReleased, std::string_view("released")},
                    std::pair{kInfrastructure, std::string_view("infrastructure")}};
}

struct LostOutcome {
  bool current = false;                ///< false: the token is void
  JobState state = JobState::kQueued;  ///< queued, delayed or quarantined
  JobId job;
  double score = 0;          ///< when queued
  std::int64_t crashes = 0;  ///< when delayed or quarantined
};
struct Lost {
  static constexpr std::string_view kScript = "lost";
  using Outcome = LostOutcome;
  LeaseToken token;
  LossCause cause = LossCause::kSilent;
  std::int64_t due_ms = 0;   ///< wall clock: when a retry may start, should this be a crash
  std::string record;        ///< packed infrastructure record, kept as the last word on the job; may be empty
  bool only_worker = false;  ///< no other worker can run the job, so its crashes need not be on two
  std::int64_t crash_limit = 3;
};

struct CancelOutcome {
  bool cancelled = false;           ///< false: it had ended, or is unknown
  std::optional<LeaseToken> token;  ///< the lease that this made void
};
struct Cancel {
  static constexpr std::string_view kScript = "cancel";
  using Outcome = CancelOutcome;
  JobId job;
};

struct DueOutcome {
  bool queued = false;  ///< false: cancelled meanwhile
  double score = 0;
};
struct Due {
  static constexpr std::string_view kScript = "due";
  using Outcome = DueOutcome;
  JobId job;
};

using Transition = std::variant<Submit, Lease, Started, Complete, Lost, Cancel, Due>;
using Outcome =
    std::variant<SubmitOutcome, LeaseOutcome, StartedOutcome, CompleteOutcome, LostOutcome, CancelOutcome, DueOutcome>;

/// "3-17" back to a token; nullopt for anything else.
[[nodiscard]] std::optional<LeaseToken> parse_token(std::string_view text);

}  // namespace autokernel::store
