#include "client/node/devices.hpp"

#include "client/node/capture.hpp"
#include "client/node/programs.hpp"
#include "common/protocol/describe.hpp"
#include "kernelbench/export/json.hpp"

namespace autokernel::client {

Result<std::vector<protocol::DeviceInfo>> parse_devices(std::string_view json) {
  AUTOKERNEL_TRY_ASSIGN(const protocol::Value document, kernelbench::parse_json(json));
  const protocol::Value* list = document.find("devices");
  auto devices = protocol::from_value<std::vector<protocol::DeviceInfo>>(list == nullptr ? document : *list);
  if (!devices) return tl::unexpected(devices.error().within("list of devices"));
  return devices;
}

Result<std::vector<protocol::DeviceInfo>> local_devices(const std::string& wanted) {
  auto printed =
      capture({program_path("autokernel-worker"), "--list-devices", "--devices", wanted}, std::chrono::seconds(30));
  if (!printed) return fail(Code::kUnavailable, "asking for this machine's devices: {}", printed.error().message);
  if (!printed->status.success()) {
    const bool call = printed->status.code == 2;
    std::string text = printed->errors.substr(0, printed->errors.find('\n'));
    if (const auto program = text.find("autokernel-worker: "); program == 0) text = text.substr(19);
    return fail(call ? Code::kInvalid : Code::kUnavailable, "--devices {}: {}", wanted,
                text.empty() ? printed->status.text() : text);
  }
  return parse_devices(printed->output);
}

std::set<protocol::DeviceKind> kinds_of(const std::vector<protocol::DeviceInfo>& devices) {
  std::set<protocol::DeviceKind> kinds;
  for (const protocol::DeviceInfo& device : devices) kinds.insert(device.kind);
  return kinds;
}

}  // namespace autokernel::client
