#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "common/result/result.hpp"
#include "coordinator/store/transition.hpp"

namespace autokernel::store {

/// A queued or delayed job, as much of it as scheduling needs.
struct WaitingJob {
  JobId job;
  protocol::DeviceKind needs = protocol::DeviceKind::kAny;
  std::string problem;
  double score = 0;         ///< when queued
  std::int64_t due_ms = 0;  ///< when delayed: wall clock
  std::vector<std::string> crashed_on;
};

/// A lease that a predecessor gave and a successor adopts.
struct LeasedJob {
  LeaseToken token;
  JobId job;
  WorkerId worker;
  Incarnation incarnation;
  bool running = false;
  std::int64_t attempt = 0;
  std::int64_t crashes = 0;
  std::string spec;
};

/// What a new leader loads.
struct Snapshot {
  std::vector<WaitingJob> queued;
  std::vector<WaitingJob> delayed;
  std::vector<LeasedJob> leased;
  std::map<std::string, std::string> history;  ///< problem → what Complete::history last said
};

/// state → jobs in it
using Counts = std::map<JobState, std::uint64_t>;

struct Ending {
  SubmitKey key;
  JobId job;
  protocol::JobEnd end = protocol::JobEnd::kDone;
  std::string record;  ///< packed protocol::Record; empty when there is none
};

struct EndingsPage {
  std::string cursor;  ///< where the next page begins
  std::vector<Ending> endings;
};

/// Pages stop here, so that an answer fits into one message.
inline constexpr std::size_t kPageBytes = std::size_t{4} << 20U;
inline constexpr std::size_t kRecordBytes = std::size_t{1} << 20U;  ///< the largest record that is stored

/// The queue's memory and its only truth. One thread; blocks for a round trip (a disk sync included).
///
/// kUnavailable: nothing is known of what happened; repeat it, all calls are safe to repeat.
/// kStale: another coordinator leads now, this one must end. kExhausted: the store is full. kInvalid: the store is
/// misconfigured, foreign, or newer than this program.
class JobStore {
 public:
  virtual ~JobStore() = default;

  /// Leads from now on, under an epoch above `at_least` and every epoch before; all other calls come after it.
  [[nodiscard]] virtual Result<Epoch> takeover(Epoch at_least) = 0;

  /// Does the transitions in order, in one round trip; the answers stand in the same order. One that fails does not
  /// stop those behind it, except that after kUnavailable nothing is known of any later one either.
  [[nodiscard]] virtual std::vector<Result<Outcome>> apply(std::span<const Transition> transitions) = 0;

  [[nodiscard]] virtual Result<Snapshot> adopt() = 0;
  [[nodiscard]] virtual Result<Counts> counts() = 0;

  /// What ended after the cursor ("" from the beginning), oldest first, at most `limit` of it.
  /// kInvalid: the cursor is none of ours.
  [[nodiscard]] virtual Result<EndingsPage> finished_since(const std::string& cursor, std::size_t limit) = 0;

  /// kNotFound: no such job.
  [[nodiscard]] virtual Result<std::string> spec_of(JobId job) = 0;

  template <class T>
  [[nodiscard]] Result<typename T::Outcome> apply_one(T transition) {
    const Transition one(std::move(transition));
    auto outcomes = apply({&one, 1});
    AUTOKERNEL_TRY_ASSIGN(Outcome outcome, std::move(outcomes.front()));
    return std::get<typename T::Outcome>(std::move(outcome));
  }
};

}  // namespace autokernel::store
