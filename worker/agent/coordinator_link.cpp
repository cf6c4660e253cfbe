#include "worker/agent/coordinator_link.hpp"

#include <algorithm>
#include <utility>

#include "common/telemetry/log.hpp"

namespace autokernel::agent {
namespace {

constexpr std::size_t kMaxUnacknowledged = 8;  // more results than that waiting: offer no credit
constexpr std::size_t kRememberedTokens = 4096;
constexpr std::int64_t kShortestHeartbeatMs = 10;
constexpr std::int64_t kLongestHeartbeatMs = 60'000;

}  // namespace

CoordinatorLink::CoordinatorLink(LinkIdentity identity, LinkTimes times, const Clock& clock,
                                 std::function<LinkStatus()> status, std::function<double()> jitter)
    : identity_(std::move(identity)),
      times_(times),
      clock_(clock),
      status_(std::move(status)),
      jitter_(std::move(jitter)),
      heartbeat_(times.heartbeat),
      pause_(times.first_pause),
      resume_at_(clock.now()),
      last_heard_(clock.now()),
      last_contact_(clock.now()),
      next_beat_(clock.now()) {}

void CoordinatorLink::start() {
  actions_.emplace_back(OpenSocket{});
  say_hello();
}

void CoordinatorLink::receive(const protocol::ToWorkerMessage& message) {
  if (state_ == State::kPausing || state_ == State::kLeft) return;  // from a session that is given up
  last_heard_ = clock_.now();
  if (state_ == State::kOpen) last_contact_ = last_heard_;
  std::visit([this](const auto& content) { on(content); }, message);
  leave_when_done();
}

void CoordinatorLink::note(const pipeline::Event& event) {
  std::visit([this](const auto& content) { on(content); }, event);
  leave_when_done();
}

void CoordinatorLink::tick() {
  const auto now = clock_.now();
  if (state_ == State::kLeft) return;
  if (leave_by_ && now >= *leave_by_) return leave(0, "stopped before everything was acknowledged");
  if (state_ == State::kPausing) {
    if (now >= resume_at_) start();
  } else if (now - last_heard_ >= silence_limit()) {
    lose_session();
  } else if (state_ == State::kOpen) {
    for (auto& [token, job] : jobs_) {
      if (job.result && now - job.result_sent >= times_.resend) send_result(token, job);
    }
    if (now >= next_beat_) beat();
  }
  free_devices_when_forgotten();
}

void CoordinatorLink::stop() {
  if (state_ == State::kLeft || leave_by_) return;
  draining_ = true;
  leave_by_ = clock_.now() + times_.farewell;
  for (auto job = jobs_.begin(); job != jobs_.end();) {
    if (job->second.result) {
      ++job;
      continue;
    }
    send(protocol::Release{job->first, "the worker stops"});
    actions_.emplace_back(KillJob{job->first});
    job = jobs_.erase(job);
  }
  if (state_ != State::kOpen) return leave(0, "stopped");
  beat();
  last_beat_to_hear_ = beat_seq_;
}

std::vector<LinkAction> CoordinatorLink::take_actions() { return std::exchange(actions_, {}); }

Clock::TimePoint CoordinatorLink::next_deadline() const {
  auto next = state_ == State::kPausing ? resume_at_ : last_heard_ + silence_limit();
  if (state_ == State::kOpen) {
    next = std::min(next, next_beat_);
    for (const auto& [token, job] : jobs_) {
      if (job.result) next = std::min(next, job.result_sent + times_.resend);
    }
  }
  if (leave_by_) next = std::min(next, *leave_by_);
  return next;
}

void CoordinatorLink::on(const protocol::Welcome& welcome) {
  if (welcome.epoch < max_epoch_) {
    telemetry::warning("a coordinator of an older epoch answered: looking for its successor",
                       {{"epoch", welcome.epoch}, {"known", max_epoch_}});
    return lose_session();
  }
  max_epoch_ = welcome.epoch;
  state_ = State::kOpen;
  last_contact_ = clock_.now();
  pause_ = times_.first_pause;
  heartbeat_ = std::chrono::milliseconds(std::clamp(welcome.heartbeat_ms, kShortestHeartbeatMs, kLongestHeartbeatMs));
  seen_dispatch_ = 0;  // the numbers are the session's
  telemetry::info("in contact with the coordinator", {{"epoch", welcome.epoch}, {"worker", identity_.worker}});
  for (const protocol::Token& token : welcome.revoked) revoke(token);
  for (auto& [token, job] : jobs_) {
    if (job.begun) send(protocol::Started{token});
    if (job.result) send_result(token, job);
  }
  beat();
}

void CoordinatorLink::on(const protocol::WhoAreYou& /*question*/) {
  if (state_ == State::kOpen) say_hello();  // unless a HELLO is already on its way
}

void CoordinatorLink::on(const protocol::BeatAck& ack) {
  if (ack.epoch < max_epoch_) return;
  max_epoch_ = ack.epoch;
  for (const protocol::Token& token : ack.revoked) revoke(token);
  if (leave_by_ && ack.seq >= last_beat_to_hear_ && unacknowledged() == 0) leave(0, "stopped");
}

void CoordinatorLink::on(const protocol::Dispatch& dispatch) {
  const LeaseToken token = dispatch.token;
  if (state_ != State::kOpen || token.epoch.value < max_epoch_) return;
  max_epoch_ = token.epoch.value;
  seen_dispatch_ = std::max(seen_dispatch_, dispatch.seq);
  if (const auto known = jobs_.find(token); known != jobs_.end()) {
    if (known->second.result) send_result(token, known->second);
    return;
  }
  if (done_.contains(token) || occupying_.contains(token)) return;
  // A coordinator that counts credit otherwise than we do may be one or two over it; a flood is handed back.
  if (draining_ || occupying_.size() >= 2 * identity_.capacity) {
    send(protocol::Release{token, draining_ ? "the worker drains" : "the worker is full"});
    return;
  }
  jobs_.emplace(token, Job{});
  occupying_.insert(token);
  actions_.emplace_back(AcceptJob{dispatch});
}

void CoordinatorLink::on(const protocol::ResultAck& ack) {
  const LeaseToken token = ack.token;
  const auto found = jobs_.find(token);
  if (found == jobs_.end() || !found->second.result) return;
  if (ack.outcome == protocol::AckKind::kStale) {
    telemetry::info("a result came too late: its lease was replaced", {{"token", to_string(token)}});
  }
  const bool held_back = unacknowledged() >= kMaxUnacknowledged;
  jobs_.erase(found);
  remember_done(token);
  if (held_back) beat();
}

void CoordinatorLink::on(const protocol::Cancel& cancel) { revoke(cancel.token); }

void CoordinatorLink::on(const protocol::Drain& /*drain*/) {
  if (std::exchange(draining_, true)) return;
  telemetry::info("draining: finishing what runs, taking nothing new", {{"jobs", jobs_.size()}});
  beat();
}

void CoordinatorLink::on(const protocol::Reject& reject) {
  if (reject.code == protocol::RejectCode::kMalformed) {
    telemetry::error("the coordinator refused a message", {{"reason", reject.message}});
    return lose_session();
  }
  for (const LeaseToken& token : occupying_) actions_.emplace_back(KillJob{token});
  leave(3, fmt::format("the coordinator refuses this worker ({}): {}", protocol::name_of(reject.code), reject.message));
}

void CoordinatorLink::on(const pipeline::PhaseChanged& event) {
  const auto found = jobs_.find(event.token);
  if (found == jobs_.end()) return;
  found->second.phase = event.phase;
  if (event.begun && !std::exchange(found->second.begun, true) && state_ == State::kOpen) {
    send(protocol::Started{event.token});
  }
}

void CoordinatorLink::on(const pipeline::StageEnded& event) {
  if (state_ == State::kOpen && jobs_.contains(event.token)) send(protocol::Progress{event.token, event.stage});
}

void CoordinatorLink::on(const pipeline::JobFinished& event) {
  occupying_.erase(event.token);
  if (const auto found = jobs_.find(event.token); found != jobs_.end()) {
    found->second.phase = protocol::Phase::kRunning;
    found->second.result = protocol::JobResult{event.token, event.record};
    if (state_ == State::kOpen) send_result(event.token, found->second);
  }
  if (state_ == State::kOpen) beat();  // a place is free: do not let it wait for the next regular beat
}

void CoordinatorLink::on(const pipeline::JobDropped& event) {
  occupying_.erase(event.token);
  jobs_.erase(event.token);
  if (state_ == State::kOpen) beat();
}

void CoordinatorLink::say_hello() {
  state_ = State::kGreeting;
  last_heard_ = clock_.now();
  protocol::Hello hello;
  hello.worker = identity_.worker;
  hello.incarnation = identity_.incarnation;
  hello.build = identity_.build;
  hello.devices = identity_.devices;
  hello.running = running();
  hello.max_epoch = max_epoch_;
  send(hello);
}

void CoordinatorLink::lose_session() {
  if (state_ == State::kOpen)
    telemetry::warning("lost contact with the coordinator; jobs go on", {{"jobs", jobs_.size()}});
  state_ = State::kPausing;
  const double spread = 0.5 + jitter_();  // 0.5 to 1.5
  resume_at_ = clock_.now() + std::chrono::duration_cast<Clock::Duration>(pause_ * spread);
  pause_ = std::min<Clock::Duration>(pause_ * 2, times_.longest_pause);
}

void CoordinatorLink::revoke(const LeaseToken& token) {
  const auto found = jobs_.find(token);
  if (found == jobs_.end()) return;
  telemetry::info("a job was taken back", {{"token", to_string(token)}});
  if (!found->second.result) actions_.emplace_back(KillJob{token});
  jobs_.erase(found);
}

void CoordinatorLink::send_result(const LeaseToken& /*token*/, Job& job) {
  job.result_sent = clock_.now();
  send(*job.result);
}

void CoordinatorLink::beat() {
  const LinkStatus status = status_();
  protocol::Heartbeat beat;
  beat.seq = ++beat_seq_;
  beat.seen_dispatch = seen_dispatch_;
  beat.running = running();
  beat.credit = credit();
  beat.warm_problem = status.warm_problem;
  beat.busy = status.busy;
  next_beat_ = clock_.now() + heartbeat_;
  send(beat);
}

void CoordinatorLink::remember_done(const LeaseToken& token) {
  done_.insert(token);
  done_order_.push_back(token);
  if (done_order_.size() > kRememberedTokens) {
    done_.erase(done_order_.front());
    done_order_.pop_front();
  }
}

void CoordinatorLink::free_devices_when_forgotten() {
  if (state_ == State::kOpen || clock_.now() - last_contact_ < times_.free_devices_after) return;
  last_contact_ = clock_.now();
  if (occupying_.empty()) return;
  telemetry::warning("out of contact for too long: killing what runs to free the devices",
                     {{"jobs", occupying_.size()}});
  for (const LeaseToken& token : occupying_) actions_.emplace_back(KillJob{token});
}

void CoordinatorLink::leave_when_done() {
  if (draining_ && !leave_by_ && state_ == State::kOpen && jobs_.empty() && occupying_.empty()) leave(0, "drained");
}

void CoordinatorLink::leave(int exit_code, std::string reason) {
  if (state_ == State::kLeft) return;
  state_ = State::kLeft;
  actions_.emplace_back(Leave{exit_code, std::move(reason)});
}

std::vector<protocol::RunningToken> CoordinatorLink::running() const {
  std::vector<protocol::RunningToken> tokens;
  for (const auto& [token, job] : jobs_) tokens.push_back({token, job.phase});
  return tokens;
}

std::size_t CoordinatorLink::unacknowledged() const {
  return static_cast<std::size_t>(
      std::count_if(jobs_.begin(), jobs_.end(), [](const auto& entry) { return entry.second.result.has_value(); }));
}

std::uint64_t CoordinatorLink::credit() const {
  if (draining_ || unacknowledged() >= kMaxUnacknowledged || occupying_.size() >= identity_.capacity) return 0;
  return identity_.capacity - occupying_.size();
}

}  // namespace autokernel::agent
