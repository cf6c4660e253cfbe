#include "client/node/devices.hpp"

#include <algorithm>
#include <cstdio>
#include <string_view>

#include "client/node/capture.hpp"
#include "client/node/programs.hpp"
#include "common/protocol/describe.hpp"
#include "kernelbench/export/json.hpp"

namespace autokernel::client {
namespace {

constexpr std::string_view kPrefix = "autokernel-worker: ";
constexpr std::string_view kWarning = "autokernel-worker: warning: ";

}  // namespace

Result<std::vector<protocol::DeviceInfo>> parse_devices(std::string_view json) {
  AUTOKERNEL_TRY_ASSIGN(const protocol::Value document, kernelbench::parse_json(json));
  const protocol::Value* list = document.find("devices");
  auto devices = protocol::from_value<std::vector<protocol::DeviceInfo>>(list == nullptr ? document : *list);
  if (!devices) return tl::unexpected(devices.error().within("list of devices"));
  return devices;
}

WorkerErrors split_warnings(const std::string& errors) {
  WorkerErrors split;
  for (std::size_t begin = 0; begin < errors.size();) {
    const auto end = std::min(errors.find('\n', begin), errors.size() - 1);
    std::string& place = errors.compare(begin, kWarning.size(), kWarning) == 0 ? split.warnings : split.rest;
    place.append(errors, begin, end + 1 - begin);
    begin = end + 1;
  }
  return split;
}

Result<std::vector<protocol::DeviceInfo>> local_devices(const std::string& wanted) {
  auto printed =
      capture({program_path("autokernel-worker"), "--list-devices", "--devices", wanted}, std::chrono::seconds(30));
  if (!printed) return fail(Code::kUnavailable, "asking for this machine's devices: {}", printed.error().message);
  const WorkerErrors errors = split_warnings(printed->errors);
  std::fputs(errors.warnings.c_str(), stderr);
  if (!printed->status.success()) {
    std::string text = errors.rest.substr(0, errors.rest.find('\n'));
    if (text.rfind(kPrefix, 0) == 0) text.erase(0, kPrefix.size());
    if (text.empty()) text = fmt::format("autokernel-worker: {}", printed->status.text());
    // Exit code 2 is the call's own error: it named a device that is not here.
    return fail(printed->status.code == 2 ? Code::kInvalid : Code::kUnavailable, "{}", text);
  }
  return parse_devices(printed->output);
}

std::set<protocol::DeviceKind> kinds_of(const std::vector<protocol::DeviceInfo>& devices) {
  std::set<protocol::DeviceKind> kinds;
  for (const protocol::DeviceInfo& device : devices) kinds.insert(device.kind);
  return kinds;
}

}  // namespace autokernel::client
