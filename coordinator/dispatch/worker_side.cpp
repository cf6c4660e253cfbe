#include <algorithm>
#include <set>

#include "common/telemetry/log.hpp"
#include "coordinator/dispatch/dispatcher.hpp"
#include "coordinator/dispatch/record_limit.hpp"

/// What workers say, and what that changes.
namespace autokernel::dispatch {
namespace {

using telemetry::Field;

/// A name that is safe in a log line and in a table.
bool is_name(const std::string& text) {
  constexpr std::size_t kLongest = 128;
  return !text.empty() && text.size() <= kLongest &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) { return c > 0x20 && c < 0x7F; });
}

}  // namespace

void Dispatcher::on_worker(const std::string& peer, const protocol::WorkerMessage& message) {
  if (stop_) return;
  if (const auto* hello = std::get_if<protocol::Hello>(&message)) return receive(peer, *hello);
  Session* session = workers_.find(peer);
  if (session == nullptr) {
    static_cast<void>(environment_.mailer.to_worker(peer, protocol::WhoAreYou{}));
    return;
  }
  session->last_heard = environment_.clock.now();
  if (!std::holds_alternative<protocol::Heartbeat>(message)) leases_.heard_from(session->worker);
  std::visit(protocol::Overloaded{[](const protocol::Hello&) {}, [&](const auto& one) { receive(*session, one); }},
             message);
}

void Dispatcher::receive(const std::string& peer, const protocol::Hello& hello) {
  constexpr std::uint64_t kHighestEpoch = std::uint64_t{1} << 52U;  // scripts count in doubles
  if (!is_name(hello.worker) || hello.max_epoch > kHighestEpoch) {
    return refuse(peer, protocol::RejectCode::kMalformed,
                  "HELLO: a worker's name has 1-128 printable characters without spaces, an epoch at most 2^52");
  }
  if (hello.max_epoch > epoch_.value) {
    telemetry::error("a worker has served a higher epoch: this store was restored from an older copy",
                     {Field("worker", hello.worker), Field("epoch", epoch_.value), Field("seen", hello.max_epoch)});
    stop_ = Stop{Stop::Reason::kOvertaken, "a worker has served a higher epoch", Epoch{hello.max_epoch}};
    return;
  }
  const Incarnation incarnation{hello.incarnation};
  if (const auto older = workers_.open(peer, hello); older && older->incarnation != incarnation) {
    refuse(older->peer, protocol::RejectCode::kSuperseded, "a newer process has the same worker name");
  }
  telemetry::info("a worker is here", {Field("worker", hello.worker), Field("devices", hello.devices.size()),
                                       Field("running", hello.running.size()), Field("epoch", epoch_.value)});

  std::set<LeaseToken> listed;
  for (const protocol::RunningToken& running : hello.running) listed.insert(running.token);
  for (const LeaseToken token : leases_.of_worker({hello.worker})) {
    Lease& lease = *leases_.find(token);
    if (lease.ending) continue;
    if (lease.incarnation != incarnation) {
      lose(lease, store::LossCause::kSilent, "its worker started anew");
      continue;
    }
    lease.seq = 0;
    if (listed.contains(token)) {
      leases_.heard_of(token);
    } else {
      leases_.deny(token);
    }
  }
  protocol::Welcome welcome{epoch_.value, options_.term.count(), options_.heartbeat.count(), {}};
  for (const LeaseToken token : listed) {
    const Lease* lease = leases_.find(token);
    if (lease == nullptr || !holds(*workers_.find(peer), *lease)) welcome.revoked.emplace_back(token);
  }
  static_cast<void>(environment_.mailer.to_worker(peer, welcome));
}

bool Dispatcher::holds(const Session& session, const Lease& lease) const {
  return lease.worker == session.worker && lease.incarnation == session.incarnation;
}

/// The session's own lease; nullptr for a token that is void. One of another worker is refused loudly.
Lease* Dispatcher::held(Session& session, LeaseToken token) {
  Lease* lease = leases_.find(token);
  if (lease == nullptr || holds(session, *lease)) return lease;
  telemetry::error(
      "a worker used another's token",
      {Field("worker", session.worker.value), Field("token", to_string(token)), Field("holder", lease->worker.value)});
  refuse(session.peer, protocol::RejectCode::kForbidden, "the token is another worker's");
  return nullptr;
}

void Dispatcher::receive(Session& session, const protocol::Heartbeat& beat) {
  workers_.beat(session, beat);
  std::set<LeaseToken> listed;
  protocol::BeatAck ack{beat.seq, epoch_.value, {}};
  for (const protocol::RunningToken& running : beat.running) {
    const LeaseToken token = running.token;
    listed.insert(token);
    Lease* lease = leases_.find(token);
    if (lease == nullptr || !holds(session, *lease)) {
      ack.revoked.emplace_back(token);
      continue;
    }
    leases_.heard_of(token);
    if (running.phase != protocol::Phase::kWaiting) mark_running(*lease);
    if (running.phase == protocol::Phase::kRunning) leases_.on_device(token);
  }
  for (const LeaseToken token : leases_.of_worker(session.worker)) {
    const Lease& lease = *leases_.find(token);
    if (lease.seq <= beat.seen_dispatch && !listed.contains(token)) leases_.deny(token);
  }
  static_cast<void>(environment_.mailer.to_worker(session.peer, ack));
}

void Dispatcher::receive(Session& session, const protocol::Started& started) {
  if (Lease* lease = held(session, started.token)) {
    leases_.heard_of(started.token);
    mark_running(*lease);
  }
}

/// A beat that lists the token as being worked on says the same as a STARTED that was lost.
void Dispatcher::mark_running(Lease& lease) {
  if (lease.running || lease.ending) return;
  lease.running = true;
  environment_.store.apply(store::Started{lease.token}, [this](Result<store::StartedOutcome> outcome) {
    if (!outcome) stop_for(outcome.error());  // a void token needs nothing: the next beat revokes it
  });
}

void Dispatcher::receive(Session& session, const protocol::Release& release) {
  Lease* lease = held(session, release.token);
  if (lease == nullptr || lease->ending) return;
  workers_.rest(session, options_.heartbeat);
  lose(*lease, store::LossCause::kReleased, release.reason);
}

void Dispatcher::receive(Session& session, const protocol::Progress& progress) {
  if (Lease* lease = held(session, progress.token)) {
    leases_.heard_of(progress.token);
    lease->progress = progress;
  }
}

void Dispatcher::receive(Session& session, const protocol::JobResult& result) {
  const LeaseToken token = result.token;
  Lease* lease = leases_.find(token);
  if (lease != nullptr && !holds(session, *lease)) {
    static_cast<void>(held(session, token));
    return;
  }
  if (result.record.verdict != protocol::Verdict::kInfrastructure) return complete(session, lease, result);
  if (lease == nullptr) return acknowledge(session.worker, token, protocol::AckKind::kStale);
  if (lease->ending) return;  // the answer to the first copy is on its way
  auto packed = pack_within(result.record, store::kRecordBytes);
  lose(*lease, store::LossCause::kInfrastructure, result.record.detail, packed ? *std::move(packed) : std::string(),
       [this, worker = session.worker, token](const store::LostOutcome& outcome) {
         acknowledge(worker, token, outcome.current ? protocol::AckKind::kStored : protocol::AckKind::kStale);
       });
}

void Dispatcher::complete(const Session& session, Lease* lease, const protocol::JobResult& result) {
  store::Complete complete;
  complete.token = result.token;
  complete.worker = session.worker;
  complete.verdict = protocol::name_of(result.record.verdict);
  auto packed = pack_within(result.record, store::kRecordBytes);
  if (!packed) {
    // It can never be stored: as a failure of the worker it is retried, and the job ends when that goes on.
    telemetry::error("a record is too large to be stored",
                     {Field("worker", session.worker.value), Field("token", to_string(complete.token)),
                      Field("reason", packed.error().message)});
    if (lease == nullptr) return acknowledge(session.worker, complete.token, protocol::AckKind::kStale);
    if (lease->ending) return;
    protocol::Record failure;
    failure.problem = result.record.problem;
    failure.candidate = result.record.candidate;
    failure.detail = packed.error().message;
    return lose(*lease, store::LossCause::kInfrastructure, failure.detail, protocol::pack(failure),
                [this, worker = session.worker, token = complete.token](const store::LostOutcome&) {
                  acknowledge(worker, token, protocol::AckKind::kStored);
                });
  }
  complete.record = *std::move(packed);
  std::uint64_t job = 0;
  std::int64_t attempt = 0;
  if (lease != nullptr) {
    job = lease->job.job.value;
    attempt = lease->attempt;
    if (!lease->ending) {
      protocol::Record learnt = result.record;
      learnt.problem = lease->job.problem;
      book_.observe(learnt);
      complete.problem = lease->job.problem;
      complete.history = book_.save(complete.problem);
    }
    lease->ending = true;
  }
  environment_.store.apply(
      std::move(complete),
      [this, worker = session.worker, token = LeaseToken(result.token), job, attempt, verdict = result.record.verdict,
       seconds = result.record.seconds](Result<store::CompleteOutcome> outcome) {
        if (!outcome) return stop_for(outcome.error());
        leases_.close(token);
        if (outcome->ack == protocol::AckKind::kStored) {
          environment_.instruments.finished.at(protocol::name_of(verdict)).add();
          environment_.instruments.job_seconds.observe(seconds);
          telemetry::info("a verdict is recorded",
                          {Field("job", job), Field("attempt", attempt), Field("token", to_string(token)),
                           Field("epoch", epoch_.value), Field("worker", worker.value),
                           Field("verdict", protocol::name_of(verdict))});
        }
        acknowledge(worker, token, outcome->ack);
      });
}

void Dispatcher::acknowledge(const WorkerId& worker, LeaseToken token, protocol::AckKind outcome) {
  environment_.instruments.acknowledged.at(protocol::name_of(outcome)).add();
  if (const Session* session = workers_.find_worker(worker)) {
    static_cast<void>(environment_.mailer.to_worker(session->peer, protocol::ResultAck{token, outcome}));
  }
}

}  // namespace autokernel::dispatch
