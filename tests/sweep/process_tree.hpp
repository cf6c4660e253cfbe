#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace autokernel::test {

/// The child of `parent` that runs this program ("redis-server", "autokernel-worker"); nullopt when there is none now.
[[nodiscard]] std::optional<pid_t> child_running(pid_t parent, const std::string& program);

/// All that `parent` started, and what those started, and so on.
[[nodiscard]] std::vector<pid_t> descendants(pid_t parent);

/// True once none of them lives (a zombie does not); waits for some seconds.
[[nodiscard]] bool all_gone(const std::vector<pid_t>& processes);

}  // namespace autokernel::test
