#include "client/run/queue_run.hpp"

#include <utility>

#include "client/queue/coordinator_link.hpp"

namespace autokernel::client {
namespace {

constexpr auto kWait = std::chrono::milliseconds(50);
constexpr auto kSilence = std::chrono::seconds(8);        ///< then the socket is replaced
constexpr auto kFirstContact = std::chrono::seconds(60);  ///< nobody answered ever: the endpoint is wrong
constexpr auto kNoWorkerNote = std::chrono::seconds(20);

/// Says once what a person should know when nothing seems to happen.
class Patience {
 public:
  Patience(const Clock& clock, const QueueRun& run) : clock_(clock), run_(run), start_(clock.now()) {}

  void heard() { answered_ = true; }

  [[nodiscard]] Result<void> silent() {
    if (!answered_ && clock_.now() - start_ > kFirstContact) {
      return fail(Code::kUnavailable, "no coordinator answers at {}", run_.endpoint);
    }
    if (!std::exchange(silence_noted_, true)) {
      run_.progress.note(fmt::format("the coordinator at {} does not answer; trying on", run_.endpoint));
    }
    return {};
  }

  void look_at(const protocol::StatusReply& status) {
    silence_noted_ = false;
    if (!status.workers.empty()) {
      worker_noted_ = true;
    } else if (clock_.now() - start_ > kNoWorkerNote && !std::exchange(worker_noted_, true)) {
      run_.progress.note("no worker is connected yet; waiting for one");
    }
  }

 private:
  const Clock& clock_;
  const QueueRun& run_;
  Clock::TimePoint start_;
  bool answered_ = false;
  bool silence_noted_ = false;
  bool worker_noted_ = false;
};

}  // namespace

Result<QueueRunEnd> run_jobs(QueueRun& run) {
  JobTracker tracker(run.clock, std::move(run.jobs));
  AUTOKERNEL_TRY_ASSIGN(CoordinatorLink link, CoordinatorLink::connect(run.endpoint));
  Patience patience(run.clock, run);
  while (!tracker.done() && !run.interrupt.requested()) {
    for (const protocol::ClientMessage& message : tracker.due()) link.send(message);
    AUTOKERNEL_TRY_ASSIGN(const auto messages, link.receive(kWait, run.interrupt.fd()));
    for (const protocol::ToClientMessage& message : messages) {
      patience.heard();
      AUTOKERNEL_TRY_ASSIGN(const auto finished, tracker.accept(message));
      for (const protocol::FinishedJob& job : finished) AUTOKERNEL_TRY(run.finished(job));
    }
    if (run.node != nullptr) {
      AUTOKERNEL_TRY_ASSIGN(const std::vector<std::string> notes, run.node->check());
      for (const std::string& note : notes) run.progress.note(note);
    }
    if (tracker.silence() > kSilence) {
      AUTOKERNEL_TRY(patience.silent());
      AUTOKERNEL_TRY(link.reconnect());
      tracker.reconnected();
    } else if (tracker.status()) {
      patience.look_at(*tracker.status());
    }
    run.progress.tick();
  }
  return QueueRunEnd{tracker.unfinished(), tracker.status()};
}

}  // namespace autokernel::client
