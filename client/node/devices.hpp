#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/protocol/messages.hpp"
#include "common/result/result.hpp"

namespace autokernel::client {

/// The devices that a worker on this machine would use for `--devices wanted`; asks autokernel-worker. kInvalid,
/// kNotFound: there is no such device, or `wanted` is no list of devices. kUnavailable: the worker does not start.
[[nodiscard]] Result<std::vector<protocol::DeviceInfo>> local_devices(const std::string& wanted);

/// From what `autokernel-worker --list-devices` prints: a JSON array, or an object with "devices".
[[nodiscard]] Result<std::vector<protocol::DeviceInfo>> parse_devices(std::string_view json);

[[nodiscard]] std::set<protocol::DeviceKind> kinds_of(const std::vector<protocol::DeviceInfo>& devices);

}  // namespace autokernel::client
