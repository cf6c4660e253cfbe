#pragma once

#include <sys/types.h>

#include "common/system/fd.hpp"
#include "worker/messages/zygote.hpp"
#include "worker/runner/roles.hpp"

namespace autokernel::runner {

/// The rest of a forked child's life: takes on the environment that `spawn` asks for, closes every other descriptor,
/// runs the role on `channel` and leaves. Exit code 127: the environment could not be had (the reason is in its
/// output). `zygote` is the parent's process id, whose death kills the child.
[[noreturn]] void live_as_child(const messages::Spawn& spawn, system::UniqueFd channel, const Roles& roles,
                                pid_t zygote);

}  // namespace autokernel::runner
