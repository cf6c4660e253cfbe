#include "coordinator/dispatch/dispatcher.hpp"

#include <algorithm>
#include <utility>

#include "common/telemetry/log.hpp"
#include "coordinator/scheduling/retry_delay.hpp"

namespace autokernel::dispatch {
namespace {

using telemetry::Field;

}  // namespace

std::chrono::milliseconds max_runtime_of(const protocol::JobSpec& spec) {
  constexpr double kLongest = 7 * 24 * 3600;  // also what a hostile number is cut to
  const double own = std::clamp(spec.options.timeout_seconds, 1.0, kLongest);
  return std::chrono::milliseconds(static_cast<std::int64_t>((2 * own + 60) * 1000));
}

std::string label_of(const protocol::JobSpec& spec) {
  const bool baseline = spec.kind == protocol::JobKind::kBaseline;
  return fmt::format("{}/{}", spec.problem.name, baseline ? "baseline" : spec.candidate.name);
}

Dispatcher::Dispatcher(const Environment& environment, const DispatchOptions& options, Epoch epoch,
                       store::Snapshot snapshot)
    : environment_(environment),
      options_(options),
      epoch_(epoch),
      workers_(environment.clock, epoch),
      ready_(book_),
      leases_(environment.clock, options),
      turns_(environment.clock, environment.longest_wait + options.term / 2) {
  for (const auto& [problem, history] : snapshot.history) {
    if (const auto restored = book_.restore(problem, history); !restored) {
      telemetry::warning("a problem's history is unreadable; it starts anew", {{"problem", problem}});
    }
  }
  for (store::WaitingJob& job : snapshot.queued) {
    ready_.add({job.job, job.needs, std::move(job.problem), job.score, std::move(job.crashed_on)});
  }
  for (store::WaitingJob& job : snapshot.delayed) {
    // A wall clock that was set back must not keep a job for days.
    const auto delay = std::chrono::milliseconds(
        std::clamp<std::int64_t>(job.due_ms - environment_.wall_ms(), 0, std::int64_t{2} * 3600 * 1000));
    wait_for_retry({job.job, job.needs, std::move(job.problem), 0, std::move(job.crashed_on)}, delay);
  }
  for (const store::LeasedJob& leased : snapshot.leased) adopt(leased);
  environment_.instruments.epoch.set(static_cast<double>(epoch.value));
  telemetry::info("leading", {Field("epoch", epoch.value), Field("queued", ready_.size()),
                              Field("delayed", resting_.size()), Field("adopted", leases_.size())});
}

void Dispatcher::adopt(const store::LeasedJob& leased) {
  Lease lease;
  lease.token = leased.token;
  lease.job.job = leased.job;
  lease.worker = leased.worker;
  lease.incarnation = leased.incarnation;
  lease.attempt = leased.attempt;
  lease.crashes = leased.crashes;
  lease.running = leased.running;
  if (const auto spec = protocol::unpack<protocol::JobSpec>(leased.spec)) {
    lease.job.needs = spec->candidate.needs;
    lease.job.problem = spec->problem.name;
    lease.label = label_of(*spec);
    lease.max_runtime = max_runtime_of(*spec);
  }
  leases_.open(std::move(lease));
}

void Dispatcher::wait_for_retry(QueuedJob job, Clock::Duration delay) {
  resting_.emplace(environment_.clock.now() + delay, std::move(job));
}

void Dispatcher::start_due_retries() {
  while (!resting_.empty() && resting_.begin()->first <= environment_.clock.now()) {
    QueuedJob job = std::move(resting_.begin()->second);
    resting_.erase(resting_.begin());
    environment_.store.apply(store::Due{job.job}, [this, job](Result<store::DueOutcome> outcome) mutable {
      if (!outcome) return stop_for(outcome.error());
      if (!outcome->queued) return;
      job.score = outcome->score;
      ready_.add(std::move(job));
    });
  }
}

void Dispatcher::dispatch() {
  if (!environment_.store.reachable() || environment_.clock.now() < store_full_until_) return;
  // One job for each worker in turn, so that the first in the table does not get everything.
  for (bool progress = true; progress && ready_.size() > 0;) {
    progress = false;
    for (auto& [peer, session] : workers_.sessions()) progress = dispatch_one(session) || progress;
  }
}

bool Dispatcher::dispatch_one(Session& session) {
  if (workers_.free_places(session) == 0) return false;
  const auto accepts = [&](const QueuedJob& job) {
    const auto crashed_on = [&](const WorkerId& worker) {
      return std::find(job.crashed_on.begin(), job.crashed_on.end(), worker.value) != job.crashed_on.end();
    };
    if (!crashed_on(session.worker)) return true;
    const auto capable = workers_.capable(job.needs);
    return std::all_of(capable.begin(), capable.end(), crashed_on);
  };
  auto job = ready_.take({session.kinds, session.warm_problem, accepts});
  if (!job) return false;
  ++session.reserved;
  const store::Lease lease{{epoch_, ++last_token_}, job->job, session.worker, session.incarnation};
  environment_.store.apply(
      lease, [this, peer = session.peer, lease, job = *std::move(job)](Result<store::LeaseOutcome> outcome) mutable {
        leased(peer, lease, std::move(job), std::move(outcome));
      });
  return true;
}

void Dispatcher::leased(const std::string& peer, const store::Lease& asked, QueuedJob job,
                        Result<store::LeaseOutcome> outcome) {
  Session* session = workers_.find(peer);
  if (session != nullptr && session->incarnation != asked.incarnation) session = nullptr;
  if (session != nullptr && session->reserved > 0) --session->reserved;
  if (!outcome && outcome.error().code == Code::kExhausted) {
    telemetry::warning("the store is full; nothing new is dispatched", {{"reason", outcome.error().message}});
    store_full_until_ = environment_.clock.now() + std::chrono::seconds(1);
    ready_.add(std::move(job));
    return;
  }
  if (!outcome) return stop_for(outcome.error());
  if (!outcome->leased) return;  // cancelled in between

  Lease lease;
  lease.token = asked.token;
  lease.worker = asked.worker;
  lease.incarnation = asked.incarnation;
  lease.attempt = outcome->attempt;
  lease.crashes = outcome->crashes;
  lease.job = std::move(job);
  auto spec = protocol::unpack<protocol::JobSpec>(outcome->spec);
  const bool readable = spec.has_value();
  if (readable && session != nullptr) return send_dispatch(*session, std::move(lease), *std::move(spec));

  const LeaseToken token = lease.token;
  leases_.open(std::move(lease));
  if (readable) {
    lose(*leases_.find(token), store::LossCause::kReleased, "its worker left before the dispatch");
  } else {
    telemetry::error("a job's spec is unreadable",
                     {Field("job", asked.job.value), Field("reason", spec.error().message)});
    lose(*leases_.find(token), store::LossCause::kInfrastructure, "its spec is unreadable");
  }
}

void Dispatcher::send_dispatch(Session& session, Lease lease, protocol::JobSpec spec) {
  lease.seq = workers_.dispatched(session, lease.token);
  lease.label = label_of(spec);
  lease.max_runtime = max_runtime_of(spec);
  const LeaseToken token = lease.token;
  protocol::Dispatch message;
  message.seq = lease.seq;
  message.token = token;
  message.job = lease.job.job.value;
  message.attempt = lease.attempt;
  message.max_runtime_ms = lease.max_runtime.count();
  message.spec = std::move(spec);
  telemetry::debug("dispatch", {Field("job", message.job), Field("attempt", message.attempt),
                                Field("token", to_string(token)), Field("worker", session.worker.value)});
  leases_.open(std::move(lease));
  if (const auto sent = environment_.mailer.to_worker(session.peer, message); !sent) {
    session.unseen.erase(message.seq);
    if (sent.error().code == Code::kUnavailable) {
      workers_.close(std::string(session.peer));  // it says HELLO again if it lives
    } else {
      workers_.rest(session, options_.heartbeat);
    }
    lose(*leases_.find(token), store::LossCause::kReleased, sent.error().message);
    return;
  }
  environment_.instruments.dispatched.add();
}

void Dispatcher::lose(Lease& lease, store::LossCause cause, std::string_view why, std::string record, AfterLoss after) {
  lease.ending = true;
  const auto delay = scheduling::retry_delay(options_.retry_base, lease.crashes, environment_.random());
  store::Lost lost;
  lost.token = lease.token;
  lost.cause = cause;
  lost.due_ms = environment_.wall_ms() + delay.count();
  lost.record = std::move(record);
  lost.crash_limit = options_.crash_limit;
  const auto capable = workers_.capable(lease.job.needs);
  lost.only_worker =
      std::all_of(capable.begin(), capable.end(), [&](const WorkerId& worker) { return worker == lease.worker; });
  telemetry::warning("a lease is lost", {Field("job", lease.job.job.value), Field("attempt", lease.attempt),
                                         Field("token", to_string(lease.token)), Field("epoch", epoch_.value),
                                         Field("worker", lease.worker.value), Field("cause", protocol::name_of(cause)),
                                         Field("why", why)});
  environment_.instruments.lost.at(protocol::name_of(cause)).add();
  environment_.store.apply(std::move(lost), [this, token = lease.token, worker = lease.worker, delay,
                                             after = std::move(after)](Result<store::LostOutcome> outcome) {
    if (!outcome) return stop_for(outcome.error());
    settle_loss(token, worker, delay, *outcome);
    if (after) after(*outcome);
  });
}

void Dispatcher::settle_loss(LeaseToken token, const WorkerId& worker, Clock::Duration delay,
                             const store::LostOutcome& outcome) {
  const Lease* lease = leases_.find(token);
  if (lease == nullptr) return;  // a cancel came first
  QueuedJob job = lease->job;
  const std::string label = lease->label;
  leases_.close(token);
  if (!outcome.current) return;
  if (outcome.state == store::JobState::kQueued) {
    job.score = outcome.score;
    ready_.add(std::move(job));
    return;
  }
  if (outcome.state == store::JobState::kQuarantined) {
    environment_.instruments.quarantined.add();
    telemetry::error("a job is quarantined after too many crashes",
                     {Field("job", job.job.value), Field("label", label), Field("crashes", outcome.crashes)});
    return;
  }
  if (std::find(job.crashed_on.begin(), job.crashed_on.end(), worker.value) == job.crashed_on.end()) {
    job.crashed_on.push_back(worker.value);
  }
  wait_for_retry(std::move(job), delay);
}

void Dispatcher::forget_silent_workers() {
  // Two terms: by then its leases are lost and nothing refers to it. Should it live, its next frame is asked
  // WHO_ARE_YOU.
  std::vector<std::string> silent;
  for (const auto& [peer, session] : workers_.sessions()) {
    if (environment_.clock.now() - session.last_heard > 2 * options_.term) silent.push_back(peer);
  }
  for (const std::string& peer : silent) {
    telemetry::warning("a worker fell silent", {Field("worker", workers_.find(peer)->worker.value)});
    workers_.close(peer);
  }
}

void Dispatcher::turn() {
  if (turns_.turn_was_late() || !environment_.store.reachable()) {
    leases_.fresh_terms();
    for (auto& [peer, session] : workers_.sessions()) session.last_heard = environment_.clock.now();
  }
  for (const auto& [token, why] : leases_.take_expired()) lose(*leases_.find(token), store::LossCause::kSilent, why);
  forget_silent_workers();
  start_due_retries();
  if (!stop_) dispatch();
  environment_.instruments.waiting.set(static_cast<double>(ready_.size()));
  environment_.instruments.leased.set(static_cast<double>(leases_.size()));
  environment_.instruments.workers.set(static_cast<double>(workers_.sessions().size()));
}

std::optional<Clock::TimePoint> Dispatcher::next_deadline() const {
  auto next = leases_.next_expiry();
  if (!resting_.empty() && (!next || resting_.begin()->first < *next)) next = resting_.begin()->first;
  return next;
}

void Dispatcher::stop_for(const Error& error) {
  if (stop_) return;
  stop_ = Stop{error.code == Code::kStale ? Stop::Reason::kFenced : Stop::Reason::kBroken, error.message, {}};
}

void Dispatcher::refuse(const std::string& peer, protocol::RejectCode code, const std::string& message) {
  environment_.instruments.refused.add();
  static_cast<void>(environment_.mailer.to_worker(peer, protocol::Reject{code, message}));
}

}  // namespace autokernel::dispatch
