#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>

#include "common/clock/clock.hpp"
#include "common/protocol/messages.hpp"
#include "coordinator/dispatch/instruments.hpp"
#include "coordinator/dispatch/lease_book.hpp"
#include "coordinator/dispatch/mailer.hpp"
#include "coordinator/dispatch/options.hpp"
#include "coordinator/scheduling/problem_book.hpp"
#include "coordinator/scheduling/ready_queue.hpp"
#include "coordinator/scheduling/turn_watch.hpp"
#include "coordinator/scheduling/worker_table.hpp"
#include "coordinator/store/store_line.hpp"

namespace autokernel::dispatch {

/// Why this coordinator must not go on. It never repairs itself: it ends, and starts again from the store.
struct Stop {
  enum class Reason {
    kFenced,     ///< another coordinator leads
    kOvertaken,  ///< a worker has served a higher epoch than the store knows: take over above `at_least`
    kBroken,     ///< the store answers what it must not, or refuses this program
  };
  Reason reason = Reason::kBroken;
  std::string message;
  Epoch at_least;
};

/// Decides who does what, and who may write. Dispatch thread only; never blocks: it asks the store by `store`, and goes
/// on when the answer comes. Nothing is promised to anybody before the store has committed it.
class Dispatcher {
 public:
  struct Environment {
    const Clock& clock;
    store::StoreLine& store;
    Mailer& mailer;
    Instruments& instruments;
    std::function<std::int64_t()> wall_ms;  ///< for the due times of retries, which outlive the process
    std::function<std::uint64_t()> random;
    /// How long the loop may wait between two turns; more is its own absence, and no lease pays for that.
    Clock::Duration longest_wait = std::chrono::milliseconds(500);
  };

  /// Leads under `epoch` with what the store held at the takeover; every adopted lease gets a full term.
  Dispatcher(const Environment& environment, const DispatchOptions& options, Epoch epoch, store::Snapshot snapshot);

  void on_worker(const std::string& peer, const protocol::WorkerMessage& message);
  void on_client(const std::string& peer, const protocol::ClientMessage& message);

  /// Once in each turn of the loop, after everything received was handed over: only then does silence mean anything.
  void turn();

  [[nodiscard]] std::optional<Clock::TimePoint> next_deadline() const;
  [[nodiscard]] const std::optional<Stop>& stop() const { return stop_; }

 private:
  using Session = scheduling::Session;
  using QueuedJob = scheduling::QueuedJob;

  // worker_side.cpp
  void receive(const std::string& peer, const protocol::Hello& hello);
  void receive(Session& session, const protocol::Heartbeat& beat);
  void receive(Session& session, const protocol::Started& started);
  void receive(Session& session, const protocol::Release& release);
  void receive(Session& session, const protocol::Progress& progress);
  void receive(Session& session, const protocol::JobResult& result);
  [[nodiscard]] bool holds(const Session& session, const Lease& lease) const;
  [[nodiscard]] Lease* held(Session& session, LeaseToken token);
  void mark_running(Lease& lease);
  void complete(const Session& session, Lease* lease, const protocol::JobResult& result);
  void acknowledge(const WorkerId& worker, LeaseToken token, protocol::AckKind outcome);

  // client_side.cpp
  void receive(const std::string& peer, const protocol::Submit& submit);
  void receive(const std::string& peer, const protocol::Watch& watch);
  void receive(const std::string& peer, const protocol::StatusRequest& request);
  void receive(const std::string& peer, const protocol::CancelJob& cancel);
  [[nodiscard]] protocol::StatusReply status(const store::Counts& counts) const;

  // dispatcher.cpp
  void adopt(const store::LeasedJob& leased);
  void wait_for_retry(QueuedJob job, Clock::Duration delay);
  void start_due_retries();
  void dispatch();
  bool dispatch_one(Session& session);
  void leased(const std::string& peer, const store::Lease& asked, QueuedJob job, Result<store::LeaseOutcome> outcome);
  void send_dispatch(Session& session, Lease lease, protocol::JobSpec spec);
  using AfterLoss = std::function<void(const store::LostOutcome&)>;
  void lose(Lease& lease, store::LossCause cause, std::string_view why, std::string record = {}, AfterLoss after = {});
  void settle_loss(LeaseToken token, const WorkerId& worker, Clock::Duration delay, const store::LostOutcome& outcome);
  void forget_silent_workers();
  void stop_for(const Error& error);
  void refuse(const std::string& peer, protocol::RejectCode code, const std::string& message);

  Environment environment_;
  DispatchOptions options_;
  Epoch epoch_;
  std::uint64_t last_token_ = 0;
  scheduling::WorkerTable workers_;
  scheduling::ProblemBook book_;
  scheduling::ReadyQueue ready_;
  LeaseBook leases_;
  scheduling::TurnWatch turns_;
  std::multimap<Clock::TimePoint, QueuedJob> resting_;  ///< crashed jobs, by the time of their retry
  Clock::TimePoint store_full_until_{};
  std::optional<Stop> stop_;
};

/// Time that a job may spend on its lane: its own limit twice (the candidate's work and the reference's), and a minute
/// for processes to start.
[[nodiscard]] std::chrono::milliseconds max_runtime_of(const protocol::JobSpec& spec);

/// "level1/19_ReLU.py/level_1_problem_19_sample_0_kernel.py", for people.
[[nodiscard]] std::string label_of(const protocol::JobSpec& spec);

}  // namespace autokernel::dispatch
