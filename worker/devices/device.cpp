#include "worker/devices/device.hpp"

#include <fstream>
#include <set>

#include "worker/devices/host_memory.hpp"

namespace autokernel::devices {
namespace {

std::string cpu_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("model name")) continue;
    const auto colon = line.find(": ");
    if (colon != std::string::npos) return line.substr(colon + 2);
  }
  return "CPU";
}

}  // namespace

std::string Device::flag() const {
  return kind == protocol::DeviceKind::kCpu ? "cpu" : fmt::format("{}:{}", protocol::name_of(kind), index);
}

protocol::DeviceInfo info_of(const Device& device) {
  return protocol::DeviceInfo{device.kind, device.id, device.name, device.memory_bytes};
}

Device find_cpu() {
  Device cpu;
  cpu.name = cpu_name();
  cpu.memory_bytes = host_memory().total_bytes;
  return cpu;
}

std::vector<std::string> architectures_of(const std::vector<Device>& devices) {
  std::set<std::string> names;
  for (const Device& device : devices) {
    if (!device.architecture.empty()) names.insert(device.architecture);
  }
  return {names.begin(), names.end()};
}

std::string architecture_list(const std::vector<std::string>& architectures) {
  std::string text;
  for (const std::string& name : architectures) text += (text.empty() ? "" : ";") + name;
  return text;
}

}  // namespace autokernel::devices
