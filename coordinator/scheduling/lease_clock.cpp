#include "coordinator/scheduling/lease_clock.hpp"

namespace autokernel::scheduling {

void LeaseClock::set_expiry(LeaseToken token, Running& running) {
  expiries_.erase({running.expiry, token});
  running.expiry = clock_.now() + running.term;
  expiries_.emplace(running.expiry, token);
}

void LeaseClock::start(LeaseToken token, Clock::Duration term) {
  Running& running = leases_[token];
  running.term = term;
  set_expiry(token, running);
}

void LeaseClock::stop(LeaseToken token) {
  const auto found = leases_.find(token);
  if (found == leases_.end()) return;
  expiries_.erase({found->second.expiry, token});
  leases_.erase(found);
}

Result<void> LeaseClock::renew(LeaseToken token) {
  const auto found = leases_.find(token);
  if (found == leases_.end()) return fail(Code::kStale, "lease was replaced: {}", to_string(token));
  set_expiry(token, found->second);
  return {};
}

void LeaseClock::renew_all() {
  expiries_.clear();
  for (auto& [token, running] : leases_) {
    running.expiry = clock_.now() + running.term;
    expiries_.emplace(running.expiry, token);
  }
}

std::vector<LeaseToken> LeaseClock::take_expired() {
  std::vector<LeaseToken> expired;
  while (!expiries_.empty() && expiries_.begin()->first <= clock_.now()) {
    const LeaseToken token = expiries_.begin()->second;
    expired.push_back(token);
    stop(token);
  }
  return expired;
}

std::optional<Clock::TimePoint> LeaseClock::next_expiry() const {
  if (expiries_.empty()) return std::nullopt;
  return expiries_.begin()->first;
}

}  // namespace autokernel::scheduling
