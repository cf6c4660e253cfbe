#include "coordinator/service.hpp"

#include <algorithm>
#include <memory>
#include <thread>
#include <utility>

#include "common/clock/clock.hpp"
#include "common/id/digest.hpp"
#include "common/system/file.hpp"
#include "common/telemetry/log.hpp"
#include "coordinator/dispatch/dispatcher.hpp"
#include "coordinator/gateway/gateway.hpp"

namespace autokernel::coordinator {
namespace {

using telemetry::Field;
using namespace std::chrono_literals;

std::int64_t wall_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

struct Leadership {
  Epoch epoch;
  store::Snapshot snapshot;
};

/// Repeats while the store is away: it may be starting, or reading its file.
Result<Leadership> lead(store::JobStore& store, Epoch at_least, const ServiceOptions& options, const Clock& clock,
                        const StopRequest& stop) {
  const auto deadline = clock.now() + options.connect_limit;
  for (;;) {
    auto epoch = store.takeover(at_least);
    auto snapshot = epoch ? store.adopt() : Result<store::Snapshot>(tl::unexpected(epoch.error()));
    if (snapshot) return Leadership{*epoch, *std::move(snapshot)};
    if (snapshot.error().code != Code::kUnavailable || stop.requested || clock.now() >= deadline) {
      return tl::unexpected(std::move(snapshot).error());
    }
    std::this_thread::sleep_for(50ms);
  }
}

class MetricsFile {
 public:
  MetricsFile(const Clock& clock, const telemetry::Metrics& metrics, std::string path)
      : clock_(clock), metrics_(metrics), path_(std::move(path)), next_(clock.now()) {}

  void turn() {
    if (path_.empty() || clock_.now() < next_) return;
    next_ = clock_.now() + 5s;
    write();
  }
  void write() {
    if (path_.empty()) return;
    if (const auto written = system::write_file(path_, metrics_.text()); !written) {
      telemetry::warning("metrics are not written", {{"reason", written.error().message}});
    }
  }

 private:
  const Clock& clock_;
  const telemetry::Metrics& metrics_;
  std::string path_;
  Clock::TimePoint next_;
};

constexpr auto kLongestWait = 500ms;

std::chrono::milliseconds wait_for(const dispatch::Dispatcher& dispatcher, const Clock& clock) {
  const auto next = dispatcher.next_deadline();
  if (!next) return kLongestWait;
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(*next - clock.now()) + 1ms;
  return std::clamp<std::chrono::milliseconds>(left, 0ms, kLongestWait);
}

/// One turn after another, until the dispatcher must stop or is asked to (nullopt).
Result<std::optional<dispatch::Stop>> serve(gateway::Gateway& gateway, dispatch::Dispatcher& dispatcher,
                                            store::StoreThread& line, const Clock& clock, MetricsFile& metrics,
                                            const StopRequest& stop) {
  while (!stop.requested) {
    AUTOKERNEL_TRY(gateway.wait(stop.waker, wait_for(dispatcher, clock)));
    gateway.receive(dispatcher);
    line.deliver();
    dispatcher.turn();
    if (dispatcher.stop()) return dispatcher.stop();
    metrics.turn();
  }
  return std::optional<dispatch::Stop>();
}

}  // namespace

Result<int> run(const ServiceOptions& options, StopRequest& stop) {
  const SteadyClock clock;
  telemetry::Metrics metrics;
  dispatch::Instruments instruments(metrics);
  MetricsFile metrics_file(clock, metrics, options.metrics_path);
  transport::Context context;
  AUTOKERNEL_TRY_ASSIGN(const auto gateway,
                        gateway::Gateway::bind(context, options.workers, options.clients, instruments.refused));
  for (Epoch at_least;;) {
    auto store = std::make_unique<store::RedisJobStore>(options.store);
    auto leadership = lead(*store, at_least, options, clock, stop);
    if (stop.requested) return 0;
    if (!leadership) return tl::unexpected(std::move(leadership).error());
    store::StoreThread line(std::move(store), stop.waker, options.store_thread);
    dispatch::Dispatcher dispatcher({clock, line, *gateway, instruments, wall_ms, random_bits, kLongestWait},
                                    options.dispatch, leadership->epoch, std::move(leadership->snapshot));
    telemetry::info("ready",
                    {Field("epoch", leadership->epoch.value), Field("queue", options.store.queue),
                     Field("workers", gateway->worker_endpoint()), Field("clients", gateway->client_endpoint())});
    AUTOKERNEL_TRY_ASSIGN(const auto ended, serve(*gateway, dispatcher, line, clock, metrics_file, stop));
    metrics_file.write();
    if (!ended) return 0;
    telemetry::error("stopping", {Field("epoch", leadership->epoch.value), Field("reason", ended->message)});
    switch (ended->reason) {
      case dispatch::Stop::Reason::kFenced: return kExitFenced;
      case dispatch::Stop::Reason::kBroken: return fail(Code::kUnavailable, "the store: {}", ended->message);
      case dispatch::Stop::Reason::kOvertaken: at_least = ended->at_least; break;
    }
  }
}

}  // namespace autokernel::coordinator
