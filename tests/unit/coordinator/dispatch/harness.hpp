#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/telemetry/metrics.hpp"
#include "coordinator/dispatch/dispatcher.hpp"
#include "coordinator/store/in_memory_job_store.hpp"
#include "tests/support/a_job.hpp"

namespace autokernel::dispatch {

/// A store line over the in-memory store that answers when the test says so.
class ManualLine final : public store::StoreLine {
 public:
  explicit ManualLine(store::InMemoryJobStore& store) : store_(store) {}

  void post(store::Transition transition, Done<store::Outcome> done) override {
    asked_.push_back([this, transition = std::move(transition), done = std::move(done)] {
      if (full &&
          (std::holds_alternative<store::Submit>(transition) || std::holds_alternative<store::Lease>(transition))) {
        return done(fail(Code::kExhausted, "full"));
      }
      done(std::move(store_.apply({&transition, 1}).front()));
    });
  }
  void counts(Done<store::Counts> done) override {
    asked_.push_back([this, done = std::move(done)] { done(store_.counts()); });
  }
  void finished_since(std::string cursor, std::size_t limit, Done<store::EndingsPage> done) override {
    asked_.push_back([this, cursor = std::move(cursor), limit, done = std::move(done)] {
      done(store_.finished_since(cursor, limit));
    });
  }
  [[nodiscard]] bool reachable() const override { return is_reachable; }
  [[nodiscard]] std::size_t backlog() const override { return asked_.size(); }

  void answer_all() {
    while (!asked_.empty()) {
      const auto next = std::move(asked_.front());
      asked_.pop_front();
      next();
    }
  }

  bool is_reachable = true;
  bool full = false;

 private:
  store::InMemoryJobStore& store_;
  std::deque<std::function<void()>> asked_;
};

/// Keeps what was sent, by peer.
class KeptMail final : public Mailer {
 public:
  Result<void> to_worker(const std::string& peer, const protocol::ToWorkerMessage& message) override {
    if (gone.contains(peer)) return fail(Code::kUnavailable, "gone");
    workers.emplace_back(peer, message);
    return {};
  }
  Result<void> to_client(const std::string& peer, const protocol::ToClientMessage& message) override {
    clients.emplace_back(peer, message);
    return {};
  }

  /// Every message of one kind to workers, oldest first.
  template <class T>
  [[nodiscard]] std::vector<T> of(const std::string& peer) const {
    std::vector<T> found;
    for (const auto& [to, message] : workers) {
      if (const auto* one = std::get_if<T>(&message); one != nullptr && to == peer) found.push_back(*one);
    }
    return found;
  }
  template <class T>
  [[nodiscard]] std::vector<T> to_clients() const {
    std::vector<T> found;
    for (const auto& [to, message] : clients) {
      if (const auto* one = std::get_if<T>(&message)) found.push_back(*one);
    }
    return found;
  }

  std::vector<std::pair<std::string, protocol::ToWorkerMessage>> workers;
  std::vector<std::pair<std::string, protocol::ToClientMessage>> clients;
  std::set<std::string> gone;
};

/// A coordinator without sockets, Redis or time of its own.
class Coordinator {
 public:
  explicit Coordinator(std::shared_ptr<store::InMemoryDatabase> shared = std::make_shared<store::InMemoryDatabase>(),
                       DispatchOptions dispatch_options = {})
      : database(std::move(shared)), options(dispatch_options) {
    lead();
  }

  /// A new leader over the same database, clock and mail.
  void lead() {
    const auto epoch = store.takeover({});
    dispatcher.emplace(Dispatcher::Environment{clock, line, mail, instruments, [this] { return wall_ms; },
                                               [] { return std::uint64_t{1} << 63U; }, std::chrono::milliseconds(500)},
                       options, *epoch, *store.adopt());
  }

  /// What one turn of the loop does, until nothing is left to do.
  void turn() {
    line.answer_all();
    dispatcher->turn();
    line.answer_all();
  }
  void advance(Clock::Duration step) {
    clock.advance(step);
    wall_ms += std::chrono::duration_cast<std::chrono::milliseconds>(step).count();
  }
  /// Time passes in small turns, while everybody in `alive` beats with what it holds.
  void pass(Clock::Duration time, const std::vector<std::string>& alive = {}) {
    constexpr auto kStep = std::chrono::seconds(1);
    for (Clock::Duration passed{}; passed < time; passed += kStep) {
      advance(kStep);
      for (const std::string& peer : alive) beat(peer);
      turn();
    }
  }

  void hello(const std::string& peer, const std::string& worker, std::uint64_t incarnation = 1,
             std::vector<protocol::RunningToken> running = {}, protocol::DeviceKind kind = protocol::DeviceKind::kCpu) {
    protocol::Hello message;
    message.worker = worker;
    message.incarnation = incarnation;
    message.devices.push_back({kind, "device", "a device", 0});
    held[peer] = running;
    message.running = std::move(running);
    dispatcher->on_worker(peer, message);
  }
  /// A beat that lists what the test put into held[peer], has seen all dispatches, and offers credit[peer].
  void beat(const std::string& peer) {
    protocol::Heartbeat message;
    message.seen_dispatch = ~std::uint64_t{0};
    message.running = held[peer];
    message.credit = credit[peer];
    dispatcher->on_worker(peer, message);
  }
  /// Submits, and lets the peer take and start it. Returns the DISPATCH.
  protocol::Dispatch start(const std::string& peer, const test::JobBuilder& job) {
    dispatcher->on_client("client", job.message());
    credit[peer] = 1;
    beat(peer);
    turn();
    credit[peer] = 0;
    auto dispatch = mail.of<protocol::Dispatch>(peer).back();
    held[peer].push_back({dispatch.token, protocol::Phase::kRunning});
    dispatcher->on_worker(peer, protocol::Started{dispatch.token});
    turn();
    return dispatch;
  }
  void finish(const std::string& peer, const protocol::Dispatch& dispatch, protocol::Verdict verdict) {
    held[peer].clear();
    dispatcher->on_worker(peer, protocol::JobResult{dispatch.token, test::a_record(dispatch.spec, verdict)});
    turn();
  }
  [[nodiscard]] const store::InMemoryDatabase::Job& job(std::uint64_t id) const { return database->jobs.at({id}); }

  std::shared_ptr<store::InMemoryDatabase> database;
  DispatchOptions options;
  ManualClock clock;
  std::int64_t wall_ms = 1'000'000;
  telemetry::Metrics metrics;
  Instruments instruments{metrics};
  store::InMemoryJobStore store{database};
  ManualLine line{store};
  KeptMail mail;
  std::map<std::string, std::vector<protocol::RunningToken>> held;
  std::map<std::string, std::uint64_t> credit;
  std::optional<Dispatcher> dispatcher;
};

}  // namespace autokernel::dispatch
