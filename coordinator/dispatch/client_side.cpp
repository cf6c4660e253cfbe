#include <algorithm>
#include <cmath>

#include "common/telemetry/log.hpp"
#include "coordinator/dispatch/dispatcher.hpp"

/// What clients ask, and what they are told.
namespace autokernel::dispatch {
namespace {

using telemetry::Field;

/// A submitter's head start is bounded, so that ageing stays so: eight thousand places at most.
constexpr double kHighestPriority = 8;
constexpr std::uint64_t kLongestPage = 1000;

bool is_key(const std::string& text) {
  constexpr std::size_t kLongest = 128;
  return !text.empty() && text.size() <= kLongest &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) { return c > 0x20 && c < 0x7F; });
}

protocol::FinishedJob finished(const store::Ending& ending) {
  protocol::FinishedJob job{ending.key.value, ending.job.value, ending.end, std::nullopt};
  if (ending.record.empty()) return job;
  auto record = protocol::unpack<protocol::Record>(ending.record);
  if (record) {
    job.record = *std::move(record);
  } else {
    telemetry::error("a stored record is unreadable",
                     {Field("job", ending.job.value), Field("reason", record.error().message)});
  }
  return job;
}

}  // namespace

void Dispatcher::on_client(const std::string& peer, const protocol::ClientMessage& message) {
  if (stop_) return;
  std::visit([&](const auto& one) { receive(peer, one); }, message);
}

void Dispatcher::receive(const std::string& peer, const protocol::Submit& submit) {
  if (!is_key(submit.submit_key) || !std::isfinite(submit.priority)) {
    environment_.instruments.refused.add();
    static_cast<void>(environment_.mailer.to_client(
        peer, protocol::Reject{protocol::RejectCode::kMalformed,
                               "SUBMIT: a key has 1-128 printable characters without spaces, a priority is a number"}));
    return;
  }
  const auto busy = [this, peer, key = submit.submit_key] {
    environment_.instruments.busy.add();
    static_cast<void>(environment_.mailer.to_client(peer, protocol::Busy{key, options_.busy_retry.count()}));
  };
  if (ready_.size() >= options_.queue_limit || environment_.store.backlog() >= options_.backlog_limit) return busy();

  store::Submit asked;
  asked.key.value = submit.submit_key;
  asked.needs = submit.spec.candidate.needs;
  asked.priority = std::clamp(submit.priority, -kHighestPriority, kHighestPriority);
  asked.problem = submit.spec.problem.name;
  asked.spec = protocol::pack(submit.spec);
  environment_.store.apply(
      std::move(asked), [this, peer, busy, key = submit.submit_key, needs = submit.spec.candidate.needs,
                         problem = submit.spec.problem.name](Result<store::SubmitOutcome> outcome) {
        if (!outcome && outcome.error().code == Code::kExhausted) return busy();
        if (!outcome) return stop_for(outcome.error());
        if (!outcome->duplicate) {
          environment_.instruments.submitted.add();
          ready_.add({outcome->job, needs, problem, outcome->score, {}});
        }
        static_cast<void>(
            environment_.mailer.to_client(peer, protocol::Submitted{key, outcome->job.value, outcome->duplicate}));
      });
}

void Dispatcher::receive(const std::string& peer, const protocol::Watch& watch) {
  if (environment_.store.backlog() >= options_.backlog_limit) return;  // asked again when the store is back
  const auto limit = static_cast<std::size_t>(std::clamp<std::uint64_t>(watch.limit, 1, kLongestPage));
  environment_.store.finished_since(watch.cursor, limit, [this, peer](Result<store::EndingsPage> page) {
    if (!page && page.error().code == Code::kInvalid) {
      static_cast<void>(environment_.mailer.to_client(
          peer, protocol::Reject{protocol::RejectCode::kMalformed, "WATCH: " + page.error().message}));
      return;
    }
    if (!page) return stop_for(page.error());
    protocol::Finished reply{page->cursor, {}};
    for (const store::Ending& ending : page->endings) reply.jobs.push_back(finished(ending));
    static_cast<void>(environment_.mailer.to_client(peer, reply));
  });
}

void Dispatcher::receive(const std::string& peer, const protocol::StatusRequest& /*request*/) {
  if (environment_.store.backlog() >= options_.backlog_limit) return;
  environment_.store.counts([this, peer](Result<store::Counts> counts) {
    if (!counts) return stop_for(counts.error());
    static_cast<void>(environment_.mailer.to_client(peer, status(*counts)));
  });
}

protocol::StatusReply Dispatcher::status(const store::Counts& counts) const {
  protocol::StatusReply reply;
  reply.epoch = epoch_.value;
  for (const auto& [state, count] : counts) reply.jobs[std::string(protocol::name_of(state))] = count;
  for (const auto& [peer, session] : workers_.sessions()) {
    reply.workers.push_back({session.worker.value, session.devices, session.running, session.credit,
                             seconds_between(session.last_heard, environment_.clock.now()), session.busy});
  }
  for (const Lease* lease : leases_.all()) {
    protocol::Progress progress;
    progress.token = lease->token;
    reply.running[lease->label] = lease->progress.value_or(progress);
  }
  return reply;
}

void Dispatcher::receive(const std::string& peer, const protocol::CancelJob& cancel) {
  const JobId job{cancel.job};
  environment_.store.apply(store::Cancel{job}, [this, peer, job](Result<store::CancelOutcome> outcome) {
    if (!outcome) return stop_for(outcome.error());
    if (outcome->cancelled) {
      ready_.remove(job);
      std::erase_if(resting_, [&](const auto& entry) { return entry.second.job == job; });
    }
    if (outcome->token) {
      const Lease* lease = leases_.find(*outcome->token);
      const Session* session = lease == nullptr ? nullptr : workers_.find_worker(lease->worker);
      if (session != nullptr) {
        static_cast<void>(environment_.mailer.to_worker(session->peer, protocol::Cancel{*outcome->token}));
      }
      leases_.close(*outcome->token);
    }
    static_cast<void>(environment_.mailer.to_client(peer, protocol::Cancelled{job.value, outcome->cancelled}));
  });
}

}  // namespace autokernel::dispatch
