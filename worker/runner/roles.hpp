#pragma once

#include <functional>
#include <map>

#include "common/system/channel.hpp"
#include "worker/messages/zygote.hpp"

/// What a forked child does with its Channel to the agent (or the judge); returns the process's exit code when the peer
/// closes it or there is nothing left to do. Each has torch imported, holds the GIL and has no device yet.
namespace autokernel::runner {

using RoleMain = std::function<int(system::Channel channel)>;
using Roles = std::map<messages::Role, RoleMain>;

[[nodiscard]] int run_builder(system::Channel channel);
[[nodiscard]] int run_judge(system::Channel channel);
[[nodiscard]] int run_candidate(system::Channel channel);

}  // namespace autokernel::runner
