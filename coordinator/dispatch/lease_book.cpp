#include "coordinator/dispatch/lease_book.hpp"

#include <array>
#include <utility>

namespace autokernel::dispatch {

LeaseBook::LeaseBook(const Clock& clock, const DispatchOptions& options)
    : options_(options),
      silence_(clock, options.term),
      unstarted_(clock, options.start_limit),
      overrun_(clock, options.overrun_grace) {}

void LeaseBook::open(Lease lease) {
  silence_.start(lease.token);
  if (!lease.running) unstarted_.start(lease.token);
  by_worker_[lease.worker.value].insert(lease.token);
  leases_.insert_or_assign(lease.token, std::move(lease));
}

void LeaseBook::close(LeaseToken token) {
  const auto found = leases_.find(token);
  if (found == leases_.end()) return;
  silence_.stop(token);
  unstarted_.stop(token);
  overrun_.stop(token);
  const auto tokens = by_worker_.find(found->second.worker.value);
  tokens->second.erase(token);
  if (tokens->second.empty()) by_worker_.erase(tokens);
  leases_.erase(found);
}

Lease* LeaseBook::find(LeaseToken token) {
  const auto found = leases_.find(token);
  return found == leases_.end() ? nullptr : &found->second;
}

std::vector<LeaseToken> LeaseBook::of_worker(const WorkerId& worker) const {
  const auto found = by_worker_.find(worker.value);
  if (found == by_worker_.end()) return {};
  return {found->second.begin(), found->second.end()};
}

std::vector<const Lease*> LeaseBook::all() const {
  std::vector<const Lease*> leases;
  leases.reserve(leases_.size());
  for (const auto& [token, lease] : leases_) leases.push_back(&lease);
  return leases;
}

void LeaseBook::heard_of(LeaseToken token) {
  Lease* lease = find(token);
  if (lease == nullptr) return;
  lease->denied = false;
  unstarted_.stop(token);
  if (!lease->ending) silence_.start(token);
}

void LeaseBook::heard_from(const WorkerId& worker) {
  const auto found = by_worker_.find(worker.value);
  if (found == by_worker_.end()) return;
  for (const LeaseToken token : found->second) {
    const Lease& lease = leases_.at(token);
    if (!lease.denied && !lease.ending) silence_.start(token);
  }
}

void LeaseBook::deny(LeaseToken token) {
  if (Lease* lease = find(token)) lease->denied = true;
}

void LeaseBook::on_device(LeaseToken token) {
  const Lease* lease = find(token);
  if (lease == nullptr || overrun_.runs(token) || lease->max_runtime.count() <= 0) return;
  overrun_.start(token, lease->max_runtime + options_.overrun_grace);
}

void LeaseBook::fresh_terms() {
  silence_.renew_all();
  unstarted_.renew_all();
}

std::vector<LeaseBook::Expired> LeaseBook::take_expired() {
  std::vector<Expired> expired;
  std::set<LeaseToken> known;
  const auto take = [&](scheduling::LeaseClock& clock, std::string_view why) {
    for (const LeaseToken token : clock.take_expired()) {
      const Lease* lease = find(token);
      if (lease != nullptr && !lease->ending && known.insert(token).second) expired.push_back({token, why});
    }
  };
  take(silence_, "silent for a term");
  take(unstarted_, "no sign of a start");
  take(overrun_, "over its time");
  return expired;
}

std::optional<Clock::TimePoint> LeaseBook::next_expiry() const {
  std::optional<Clock::TimePoint> next;
  for (const auto& expiry : std::array{silence_.next_expiry(), unstarted_.next_expiry(), overrun_.next_expiry()}) {
    if (expiry && (!next || *expiry < *next)) next = expiry;
  }
  return next;
}

}  // namespace autokernel::dispatch
