#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>

#include "common/result/result.hpp"
#include "common/system/channel.hpp"
#include "worker/messages/zygote.hpp"
#include "worker/runner/roles.hpp"

namespace autokernel::runner {

/// Serves one agent: forks children that have torch imported, reaps them, kills them on request. One thread, no tensor
/// operation, no CUDA: whatever this process holds, every child inherits.
class Zygote {
 public:
  Zygote(system::Channel agent, const Roles& roles) : agent_(std::move(agent)), roles_(roles) {}

  /// Starts the interpreter, says Ready (or Unfit, and returns 3), then serves until the agent closes its end; then
  /// kills all children and returns 0.
  [[nodiscard]] int run();

 private:
  [[nodiscard]] Result<void> serve();
  [[nodiscard]] Result<void> on_message();
  [[nodiscard]] Result<void> spawn(const messages::Spawn& spawn, system::UniqueFd channel);
  void kill(const messages::Kill& kill) const;
  [[nodiscard]] Result<void> reap();
  void kill_all();
  [[nodiscard]] Result<void> say(const messages::FromZygote& message);

  system::Channel agent_;
  const Roles& roles_;
  system::UniqueFd child_signals_;
  std::map<std::uint64_t, pid_t> children_;
};

}  // namespace autokernel::runner
