#include "kernelbench/export/hardware.hpp"

namespace autokernel::kernelbench {

std::string hardware_of(const protocol::Record& record) {
  const auto device = record.environment.find("device");
  return device == record.environment.end() ? "unknown" : device->second;
}

std::string torch_device_of(const protocol::Record& record) {
  if (const auto id = record.environment.find("device_id"); id != record.environment.end()) {
    return id->second == "cpu" ? "cpu" : "cuda:0";
  }
  return record.timing && record.timing->method == "cpu_clock" ? "cpu" : "cuda:0";
}

}  // namespace autokernel::kernelbench
