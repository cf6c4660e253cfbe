#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "common/system/channel.hpp"
#include "common/system/process.hpp"

namespace autokernel::runner_process {

class Zygote;

/// How a child of the zygote ended.
struct Ending {
  system::ExitStatus status;
  bool zygote_lost = false;  ///< the zygote died first: nobody knows how the child ended, and nobody is to blame
  bool killed_by_us = false;

  [[nodiscard]] std::string text() const;
};

/// What Zygote's reader thread tells a RunnerChild's owner.
struct ChildState {
  std::mutex mutex;
  std::condition_variable ended;
  std::optional<Ending> ending;
  bool kill_sent = false;
};

/// Owns a builder, judge or candidate process; the destructor kills its process group. The zygote outlives it.
/// One thread uses it, but kill() may come from any (through Zygote::kill).
class RunnerChild {
 public:
  RunnerChild(Zygote& zygote, std::uint64_t id, std::shared_ptr<ChildState> state, system::Channel channel);
  RunnerChild(RunnerChild&& other) noexcept;
  RunnerChild& operator=(RunnerChild&& other) noexcept;
  RunnerChild(const RunnerChild&) = delete;
  RunnerChild& operator=(const RunnerChild&) = delete;
  ~RunnerChild();

  [[nodiscard]] std::uint64_t id() const { return id_; }
  /// Our end of the child's channel; not valid() for a candidate, whose other end the judge holds.
  [[nodiscard]] system::Channel& channel() { return channel_; }

  /// Asks for SIGKILL to the whole group; returns at once.
  void kill();

  /// nullopt when it still runs at the timeout.
  [[nodiscard]] std::optional<Ending> wait(std::chrono::milliseconds timeout);

 private:
  Zygote* zygote_;
  std::uint64_t id_;
  std::shared_ptr<ChildState> state_;
  system::Channel channel_;
};

}  // namespace autokernel::runner_process
