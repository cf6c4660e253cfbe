#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/clock/clock.hpp"
#include "common/id/id.hpp"
#include "common/protocol/messages.hpp"
#include "coordinator/dispatch/options.hpp"
#include "coordinator/scheduling/lease_clock.hpp"
#include "coordinator/scheduling/ready_queue.hpp"

namespace autokernel::dispatch {

/// One attempt at a job, in some worker's hands.
struct Lease {
  LeaseToken token;
  scheduling::QueuedJob job;
  WorkerId worker;
  Incarnation incarnation;
  std::string label;  ///< "problem/candidate", for people
  std::int64_t attempt = 0;
  std::int64_t crashes = 0;
  std::uint64_t seq = 0;  ///< of its DISPATCH in the present session; 0: adopted, so every beat speaks of it
  std::chrono::milliseconds max_runtime{0};
  bool running = false;  ///< STARTED was committed, or is being so
  bool denied = false;   ///< the worker does not have it: only a result on its way can save it
  bool ending = false;   ///< complete, lost or cancel is being committed
  std::optional<protocol::Progress> progress;
};

/// The leases that this coordinator answers for, and the three clocks on each: silence, no sign of a start, overrun.
/// Dispatch thread only; does no I/O.
class LeaseBook {
 public:
  LeaseBook(const Clock& clock, const DispatchOptions& options);

  void open(Lease lease);        ///< starts the clocks; an adopted lease gets a full term
  void close(LeaseToken token);  ///< free to repeat

  [[nodiscard]] Lease* find(LeaseToken token);
  [[nodiscard]] std::vector<LeaseToken> of_worker(const WorkerId& worker) const;
  [[nodiscard]] std::vector<const Lease*> all() const;  ///< until the next open or close
  [[nodiscard]] std::size_t size() const { return leases_.size(); }

  void heard_of(LeaseToken token);          ///< the worker has it: a full term, and the DISPATCH did arrive
  void heard_from(const WorkerId& worker);  ///< any frame is life, but for what the worker denies
  void deny(LeaseToken token);              ///< stops renewal: its present term is its last
  void on_device(LeaseToken token);         ///< its run time is counted from the first time this is said

  void fresh_terms();  ///< after a time in which nobody listened

  struct Expired {
    LeaseToken token;
    std::string_view why;
  };
  [[nodiscard]] std::vector<Expired> take_expired();
  [[nodiscard]] std::optional<Clock::TimePoint> next_expiry() const;

 private:
  DispatchOptions options_;
  scheduling::LeaseClock silence_;
  scheduling::LeaseClock unstarted_;
  scheduling::LeaseClock overrun_;
  std::unordered_map<LeaseToken, Lease> leases_;
  std::map<std::string, std::set<LeaseToken>> by_worker_;
};

}  // namespace autokernel::dispatch
