#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "common/result/result.hpp"
#include "common/system/channel.hpp"
#include "common/system/process.hpp"
#include "worker/messages/zygote.hpp"
#include "worker/runner_process/runner_child.hpp"

namespace autokernel::runner_process {

struct ZygoteOptions {
  std::string program;         ///< autokernel-runner
  std::string output_path;     ///< the zygote's own words go there
  std::vector<int> inherited;  ///< descriptors that it and its children keep: the GPU locks
  std::chrono::seconds start_limit = std::chrono::seconds(120);  ///< importing torch from a cold disk
};

/// Which child, and how it starts; messages::Spawn without its number.
struct ChildRequest {
  messages::Role role = messages::Role::kBuilder;
  std::map<std::string, std::string> environment;
  std::string output_path;
  std::string folder;
  std::uint64_t memory_bytes = 0;
};

/// The agent's side of the zygote: starts autokernel-runner, starts children through it, and learns how they ended.
/// Thread-safe: lanes and builders share one. A thread of its own starts the process, since it is to die with that
/// thread (Linux pdeathsig), and then reads its messages. When the zygote dies, every child counts as lost and it is
/// started again.
class Zygote {
 public:
  /// Waits until torch is imported. kNotFound: the program is not there. kUnavailable: this machine cannot run
  /// candidates; the message is the runner's own.
  [[nodiscard]] static Result<std::unique_ptr<Zygote>> start(ZygoteOptions options);
  ~Zygote();
  Zygote(const Zygote&) = delete;
  Zygote& operator=(const Zygote&) = delete;

  /// "torch", "python", "torch_cuda", … as the latest zygote reported them.
  [[nodiscard]] std::map<std::string, std::string> environment() const;

  /// A child with a channel to us. kUnavailable: no zygote, even after waiting for its restart.
  [[nodiscard]] Result<RunnerChild> spawn(const ChildRequest& request);

  /// A child whose channel ends with `child_end` here and somewhere else on its other side.
  [[nodiscard]] Result<RunnerChild> spawn_with(const ChildRequest& request, system::Channel child_end);

  /// Nothing happens when it has ended already.
  void kill(std::uint64_t child);

 private:
  explicit Zygote(ZygoteOptions options);
  void supervise();
  [[nodiscard]] Result<void> serve_one_process();
  void handle(const messages::Ready& ready);
  void handle(const messages::Unfit& unfit);
  void handle(const messages::Exited& exited);
  void lose_children();
  [[nodiscard]] Result<RunnerChild> spawn_child(const ChildRequest& request, const system::Channel& child_end,
                                                system::Channel own_end);

  const ZygoteOptions options_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool stopping_ = false;
  bool ready_ = false;
  bool was_ready_ = false;                 ///< the latest process got that far: its end is no reason to wait longer
  std::optional<Error> failure_;           ///< why the latest start failed; empty while starting or ready
  std::optional<system::Channel> writer_;  ///< our end, a copy of the reader's: the two directions have an owner each
  std::map<std::string, std::string> environment_;
  std::uint64_t next_child_ = 1;
  std::map<std::uint64_t, std::shared_ptr<ChildState>> children_;
  std::thread thread_;
};

}  // namespace autokernel::runner_process
