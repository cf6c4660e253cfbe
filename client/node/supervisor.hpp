#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/clock/clock.hpp"
#include "common/result/result.hpp"
#include "common/system/process.hpp"

namespace autokernel::client {

/// A program that a single-node run needs.
struct Service {
  std::string name;  ///< "redis-server", for messages
  system::ProcessOptions process;
  std::function<bool()> ready;  ///< tried until it says yes before the next service starts; may be empty
};

/// Keeps a few services running, in order. Not thread-safe: children die with the thread that calls start().
class Supervisor {
 public:
  struct Settings {
    std::size_t restarts = 3;  ///< of each service within `window`; one that dies more often will not get better
    std::chrono::minutes window{10};
    std::chrono::milliseconds settling{5000};  ///< who ends by itself before that did not start
    std::chrono::milliseconds ready_timeout{30000};
    std::chrono::milliseconds stop_grace{3000};  ///< for each, between SIGTERM and SIGKILL
  };

  Supervisor(const Clock& clock, std::vector<Service> services, Settings settings);
  Supervisor(const Clock& clock, std::vector<Service> services) : Supervisor(clock, std::move(services), Settings{}) {}

  /// Starts all of them; blocks until each is ready. kUnavailable, kNotFound: one does not start; the message ends with
  /// the last line of its log. `cancelled` is asked while waiting.
  [[nodiscard]] Result<void> start(const std::function<bool()>& cancelled);

  /// Starts again what has died and returns a line for each; never waits: a service whose predecessor is not ready yet
  /// waits for a later call. One that ended by itself before it had settled is told of when its successor has settled,
  /// so that a service that cannot start gives one message. kUnavailable: one died too often.
  [[nodiscard]] Result<std::vector<std::string>> check();

  /// Ends them, the last started first.
  void stop();

  /// For `status` and tests; nullopt while it is down.
  [[nodiscard]] std::optional<pid_t> pid_of(const std::string& name) const;

 private:
  struct Running {
    Service service;
    std::optional<system::ChildProcess> child;
    bool ready = false;
    Clock::TimePoint launched;
    std::deque<Clock::TimePoint> deaths;  ///< within the window
    std::optional<std::string> untold;    ///< the note of a death before it had settled
  };

  [[nodiscard]] Result<void> launch(Running& running);
  [[nodiscard]] static std::string last_words(const Service& service);

  const Clock& clock_;
  Settings settings_;
  std::vector<Running> services_;
};

}  // namespace autokernel::client
