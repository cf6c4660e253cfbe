#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "common/clock/clock.hpp"
#include "common/protocol/messages.hpp"
#include "worker/pipeline/event.hpp"

namespace autokernel::agent {

/// Who this worker is and how much it takes.
struct LinkIdentity {
  std::string worker;
  std::uint64_t incarnation = 0;
  std::string build;  ///< evaluator digest
  std::vector<protocol::DeviceInfo> devices;
  std::size_t capacity = 1;
};

struct LinkTimes {
  std::chrono::milliseconds heartbeat{2000};  ///< until a WELCOME names another
  std::chrono::milliseconds resend{5000};     ///< of a result that is not acknowledged
  std::chrono::milliseconds first_pause{200};
  std::chrono::milliseconds longest_pause{5000};
  std::chrono::seconds free_devices_after{
      120};                                  ///< out of contact: others have the jobs by then, ours only block a GPU
  std::chrono::milliseconds farewell{2000};  ///< how long a stopping worker waits for its last acknowledgements
};

/// What a heartbeat tells beside the jobs.
struct LinkStatus {
  std::string warm_problem;
  std::map<std::string, double> busy;
};

/// What the owner of the link is to do, in this order.
struct OpenSocket {
};  ///< a fresh one: an old socket would deliver what it hoarded to a coordinator that does not know us
struct SendMessage {
  protocol::WorkerMessage message;
};
struct AcceptJob {
  protocol::Dispatch dispatch;
};
struct KillJob {
  LeaseToken token;
};
struct Leave {
  int exit_code = 0;
  std::string reason;
};
using LinkAction = std::variant<OpenSocket, SendMessage, AcceptJob, KillJob, Leave>;

/// The worker's half of AK/1 without its socket: messages, pipeline events and time go in, actions come out. One
/// thread. Any message may be lost, doubled or late: results stay here until they are acknowledged, everything else is
/// only news.
class CoordinatorLink {
 public:
  /// `jitter` gives numbers in [0, 1): many workers must not come back in step.
  CoordinatorLink(LinkIdentity identity, LinkTimes times, const Clock& clock, std::function<LinkStatus()> status,
                  std::function<double()> jitter);

  void start();
  void receive(const protocol::ToWorkerMessage& message);
  void note(const pipeline::Event& event);
  /// Looks at the clock: call it at next_deadline(), after everything received has been passed on, so that only real
  /// silence counts.
  void tick();
  /// Hands back what is not finished, tells the coordinator, and leaves.
  void stop();

  [[nodiscard]] std::vector<LinkAction> take_actions();
  [[nodiscard]] Clock::TimePoint next_deadline() const;

 private:
  enum class State { kPausing, kGreeting, kOpen, kLeft };
  struct Job {
    protocol::Phase phase = protocol::Phase::kBuilding;
    bool begun = false;
    std::optional<protocol::JobResult> result;  ///< not acknowledged yet
    Clock::TimePoint result_sent;
  };

  void on(const protocol::Welcome& welcome);
  void on(const protocol::WhoAreYou& question);
  void on(const protocol::BeatAck& ack);
  void on(const protocol::Dispatch& dispatch);
  void on(const protocol::ResultAck& ack);
  void on(const protocol::Cancel& cancel);
  void on(const protocol::Drain& drain);
  void on(const protocol::Reject& reject);
  void on(const pipeline::PhaseChanged& event);
  void on(const pipeline::StageEnded& event);
  void on(const pipeline::JobFinished& event);
  void on(const pipeline::JobDropped& event);

  void say_hello();
  void lose_session();
  void revoke(const LeaseToken& token);
  void send_result(const LeaseToken& token, Job& job);
  void beat();
  void remember_done(const LeaseToken& token);
  void free_devices_when_forgotten();
  void leave_when_done();
  void leave(int exit_code, std::string reason);
  template <class Message>
  void send(const Message& message) {
    if (state_ != State::kPausing) actions_.emplace_back(SendMessage{message});
  }
  [[nodiscard]] std::vector<protocol::RunningToken> running() const;
  [[nodiscard]] std::size_t unacknowledged() const;
  [[nodiscard]] std::uint64_t credit() const;
  [[nodiscard]] Clock::Duration silence_limit() const { return 3 * heartbeat_; }

  const LinkIdentity identity_;
  const LinkTimes times_;
  const Clock& clock_;
  const std::function<LinkStatus()> status_;
  const std::function<double()> jitter_;

  State state_ = State::kPausing;
  bool draining_ = false;
  std::optional<Clock::TimePoint> leave_by_;  ///< set once stopping
  std::uint64_t last_beat_to_hear_ = 0;       ///< stopping: its ack says that all before it has arrived
  Clock::Duration heartbeat_;
  Clock::Duration pause_;
  Clock::TimePoint resume_at_;
  Clock::TimePoint last_heard_;
  Clock::TimePoint last_contact_;  ///< last frame of an open session
  Clock::TimePoint next_beat_;
  std::uint64_t max_epoch_ = 0;
  std::uint64_t beat_seq_ = 0;
  std::uint64_t seen_dispatch_ = 0;

  std::map<LeaseToken, Job> jobs_;     ///< ours, as far as we know
  std::set<LeaseToken> occupying_;     ///< in the pipeline: these take places, revoked ones too until they are gone
  std::deque<LeaseToken> done_order_;  ///< acknowledged lately: a late second DISPATCH of one must not run again
  std::set<LeaseToken> done_;
  std::vector<LinkAction> actions_;
};

}  // namespace autokernel::agent
