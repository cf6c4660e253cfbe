#pragma once

#include <sys/types.h>

#include <chrono>

#include "common/result/result.hpp"

namespace autokernel::system {

/// The group of another process, by its leader: stops it, lets it go on, kills it. Holds no resource, and is nobody's
/// parent: whoever reaps the leader must not do so while this is used, since its number may be another's after that.
class ProcessGroup {
 public:
  /// A group that `leader` leads and that `parent`, or nobody (0), has to be the parent of. kInvalid: it is not so.
  [[nodiscard]] static Result<ProcessGroup> of_leader(pid_t leader, pid_t parent = 0);

  /// Sends SIGSTOP to every process of the group and returns when no thread of the leader runs any more; the others'
  /// are not looked at, and a member that sends SIGCONT meanwhile undoes it. kNotFound: the group is gone.
  /// kUnavailable: a thread still ran at the limit.
  [[nodiscard]] Result<void> stop(std::chrono::milliseconds limit) const;
  /// Undoes stop(). Nothing happens where the group is gone, or runs.
  void resume() const;
  void kill() const;

  [[nodiscard]] pid_t leader() const { return leader_; }

 private:
  explicit ProcessGroup(pid_t leader) : leader_(leader) {}
  pid_t leader_;
};

}  // namespace autokernel::system
