#include "tests/contract/fencing.hpp"

#include "tests/support/a_job.hpp"

namespace autokernel::test {
namespace {

using protocol::AckKind;
using store::JobStore;

constexpr Incarnation kIncarnation{1};

class Checks {
 public:
  explicit Checks(StorePlace& place) : place_(place) {}

  std::vector<std::string> run() {
    a_deposed_coordinator_writes_nothing();
    a_lost_lease_is_void();
    a_cancelled_lease_is_void();
    a_stored_result_is_reported_as_such();
    every_call_may_be_repeated();
    return violations_;
  }

 private:
  void expect(bool holds, const std::string& what) {
    if (!holds) violations_.push_back(what);
  }

  std::unique_ptr<JobStore> lead() {
    auto store = place_.open();
    const auto epoch = store->takeover({});
    expect(epoch.has_value(), "a takeover succeeds");
    if (epoch) epoch_ = *epoch;
    return store;
  }
  LeaseToken next_token() { return {epoch_, ++number_}; }

  /// A job of its own, leased and started.
  LeaseToken running(JobStore& store, const std::string& name) {
    const auto job = store.apply_one(a_job(name).submit());
    expect(job.has_value(), "a submit succeeds: " + name);
    const LeaseToken token = next_token();
    if (!job) return token;
    const auto lease = store.apply_one(store::Lease{token, job->job, {"worker"}, kIncarnation});
    expect(lease && lease->leased, "a queued job is leased: " + name);
    const auto started = store.apply_one(store::Started{token});
    expect(started && started->current, "a leased job starts: " + name);
    return token;
  }
  static store::Complete result(LeaseToken token) {
    return {token, {"worker"}, "robust", "record", "level1/x.py", "history"};
  }
  static store::Lost silence(LeaseToken token) { return {token, store::LossCause::kSilent, 0, "", false, 3}; }

  void a_deposed_coordinator_writes_nothing() {
    const auto old = lead();
    const LeaseToken token = running(*old, "deposed");
    const LeaseToken late{epoch_, number_ + 1000};
    const auto queued = old->apply_one(a_job("deposed-queued").submit());
    const auto leader = lead();
    const std::vector<store::Transition> writes{a_job("deposed-new").submit(),
                                                store::Lease{late, queued ? queued->job : JobId{}, {"w"}, kIncarnation},
                                                store::Started{token},
                                                result(token),
                                                silence(token),
                                                store::Cancel{queued ? queued->job : JobId{}},
                                                store::Due{queued ? queued->job : JobId{}}};
    for (const auto& outcome : old->apply(writes)) {
      expect(!outcome && outcome.error().code == Code::kStale, "a deposed coordinator is refused");
    }
    const auto stored = leader->apply_one(result(token));
    expect(stored && stored->ack == AckKind::kStored, "what the deposed one tried changed nothing");
  }

  void a_lost_lease_is_void() {
    const auto store = lead();
    const LeaseToken token = running(*store, "lost");
    const auto lost = store->apply_one(silence(token));
    expect(lost && lost->current, "a silent worker's lease is lost");
    const auto late = store->apply_one(result(token));
    expect(late && late->ack == AckKind::kStale, "a result after the loss is STALE");
    const auto again = store->apply_one(silence(token));
    expect(again && !again->current, "a lease is lost once");
    const auto started = store->apply_one(store::Started{token});
    expect(started && !started->current, "a lost lease does not start");
  }

  void a_cancelled_lease_is_void() {
    const auto store = lead();
    const LeaseToken token = running(*store, "cancelled");
    const auto job = store->apply_one(a_job("cancelled").submit());
    const auto cancel = store->apply_one(store::Cancel{job ? job->job : JobId{}});
    expect(cancel && cancel->cancelled && cancel->token == token, "a running job is cancelled, and its token named");
    const auto late = store->apply_one(result(token));
    expect(late && late->ack == AckKind::kStale, "a result after the cancel is STALE");
  }

  void a_stored_result_is_reported_as_such() {
    const auto store = lead();
    const LeaseToken token = running(*store, "stored");
    const auto first = store->apply_one(result(token));
    expect(first && first->ack == AckKind::kStored, "a result is stored");
    const auto resent = store->apply_one(result(token));
    expect(resent && resent->ack == AckKind::kDup, "a resent result is DUP");
    const auto successor = lead();
    const auto later = successor->apply_one(result(token));
    expect(later && later->ack == AckKind::kDup, "a result resent to a successor is DUP");
    const auto lost = successor->apply_one(silence(token));
    expect(lost && !lost->current, "a stored result's lease cannot be lost");
  }

  void every_call_may_be_repeated() {
    const auto store = lead();
    const auto first = store->apply_one(a_job("repeated").submit());
    const auto second = store->apply_one(a_job("repeated").submit());
    expect(first && second && second->duplicate && second->job == first->job, "a key gives the same job");
    const store::Lease lease{next_token(), first ? first->job : JobId{}, {"worker"}, kIncarnation};
    const auto once = store->apply_one(lease);
    const auto twice = store->apply_one(lease);
    expect(once && twice && twice->leased && twice->attempt == once->attempt, "a repeated lease is the same lease");
  }

  StorePlace& place_;
  Epoch epoch_;
  std::uint64_t number_ = 0;
  std::vector<std::string> violations_;
};

}  // namespace

std::vector<std::string> check_fencing(StorePlace& place) { return Checks(place).run(); }

}  // namespace autokernel::test
