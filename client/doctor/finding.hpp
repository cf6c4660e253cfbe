#pragma once

#include <functional>
#include <string>
#include <vector>

#include "common/protocol/value.hpp"

namespace autokernel::client {

/// One thing that doctor looked for.
struct Finding {
  std::string name;  ///< "redis-server"
  bool found = false;
  bool required = false;  ///< no sweep runs without it
  std::string detail;     ///< what was found, or what is missing for want of it
  std::string remedy;     ///< the command that brings it; empty when found, or when nothing does
};

/// True where a sweep can run.
[[nodiscard]] bool can_sweep(const std::vector<Finding>& findings);

[[nodiscard]] std::string findings_text(const std::vector<Finding>& findings);
[[nodiscard]] protocol::Value findings_value(const std::vector<Finding>& findings);

/// Looks at everything. Blocks for some seconds: it starts our own programs to ask them.
[[nodiscard]] std::vector<Finding> examine_machine();

/// The layers of a sandbox that this kernel would let us use; this version uses none: "user namespaces", "landlock",
/// "seccomp".
[[nodiscard]] std::vector<Finding> examine_sandbox();

/// What would allow user namespaces. Root is not told to be root.
[[nodiscard]] std::string user_namespaces_remedy(bool is_root);

}  // namespace autokernel::client
