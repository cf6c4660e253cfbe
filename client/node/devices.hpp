#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/protocol/messages.hpp"
#include "common/result/result.hpp"

namespace autokernel::client {

/// What a worker said on stderr, its warnings (a variable that nothing reads) apart from the rest.
struct WorkerErrors {
  std::string warnings;  ///< whole lines
  std::string rest;
};
[[nodiscard]] WorkerErrors split_warnings(const std::string& errors);

/// The devices that a worker on this machine would use for `--devices wanted`; asks autokernel-worker. kInvalid,
/// kNotFound: there is no such device, or `wanted` is no list of devices. kUnavailable: the worker does not start.
[[nodiscard]] Result<std::vector<protocol::DeviceInfo>> local_devices(const std::string& wanted);

/// From what `autokernel-worker --list-devices` prints: a JSON array, or an object with "devices".
[[nodiscard]] Result<std::vector<protocol::DeviceInfo>> parse_devices(std::string_view json);

[[nodiscard]] std::set<protocol::DeviceKind> kinds_of(const std::vector<protocol::DeviceInfo>& devices);

}  // namespace autokernel::client
