#pragma once

#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/clock/clock.hpp"
#include "common/id/id.hpp"
#include "common/result/result.hpp"

namespace autokernel::scheduling {

/// Tells which leases have gone silent. Dispatch thread only; does no I/O.
///
/// Time is the coordinator's own steady clock and never reaches the store: a new leader gives every adopted lease a
/// full term, so a jump of the wall clock cannot expire a healthy job.
class LeaseClock {
 public:
  LeaseClock(const Clock& clock, Clock::Duration term) : clock_(clock), term_(term) {}

  void start(LeaseToken token) { start(token, term_); }
  void start(LeaseToken token, Clock::Duration term);  ///< one lease's own term
  void stop(LeaseToken token);                         ///< no more of it; unknown tokens are fine

  /// Gives the lease a full term again. kStale: the token is unknown, the attempt is void.
  [[nodiscard]] Result<void> renew(LeaseToken token);

  /// Gives every lease a full term again: silence counts only while somebody listened.
  void renew_all();

  /// The leases whose term is over; each is returned once, the longest over first.
  [[nodiscard]] std::vector<LeaseToken> take_expired();

  [[nodiscard]] bool runs(LeaseToken token) const { return leases_.contains(token); }
  [[nodiscard]] std::optional<Clock::TimePoint> next_expiry() const;

 private:
  struct Running {
    Clock::Duration term{};
    Clock::TimePoint expiry;
  };
  void set_expiry(LeaseToken token, Running& running);

  const Clock& clock_;
  Clock::Duration term_;
  std::unordered_map<LeaseToken, Running> leases_;
  std::set<std::pair<Clock::TimePoint, LeaseToken>> expiries_;
};

}  // namespace autokernel::scheduling
