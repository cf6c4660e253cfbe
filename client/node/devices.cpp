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
    constexpr std::string_view kPrefix = "autokernel-worker: ";
    std::string text = printed->errors.substr(0, printed->errors.find('\n'));
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
