#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "client/doctor/finding.hpp"
#include "client/node/capture.hpp"
#include "client/node/devices.hpp"
#include "client/node/programs.hpp"
#include "client/run_folder/run_folder.hpp"
#include "common/system/file.hpp"

namespace autokernel::client {
namespace {

constexpr auto kPatience = std::chrono::seconds(20);

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

/// The line of a --version that carries the number: nvcc's is the last but one, others' the first.
std::string version_line(const std::string& text) {
  std::size_t begin = 0;
  while (begin < text.size()) {
    const auto end = std::min(text.find('\n', begin), text.size());
    std::string line = text.substr(begin, end - begin);
    if (line.find("release") != std::string::npos || line.find("version") != std::string::npos ||
        line.find("v=") != std::string::npos) {
      return line;
    }
    begin = end + 1;
  }
  return first_line(text);
}

/// A program of the system, asked for its version.
Finding tool(const std::string& name, bool required, const std::string& purpose, const std::string& remedy) {
  const auto printed = capture({name, "--version"}, kPatience);
  if (printed && printed->status.success()) return {name, true, required, version_line(printed->output), ""};
  return {name, false, required, purpose, remedy};
}

Finding redis() {
  Finding finding =
      tool("redis-server", true, "the queue of a sweep on this machine needs it", "apt-get install redis-server");
  if (!finding.found) return finding;
  const auto place = finding.detail.find("v=");
  const int major = place == std::string::npos ? 0 : std::atoi(finding.detail.c_str() + place + 2);
  if (place != std::string::npos && major < 7) {
    return {finding.name, false, true, finding.detail + ": too old, 7.0 or newer is needed", "install redis-server 7"};
  }
  return finding;
}

/// One of our own programs; it lies beside this one.
Finding own_program(const std::string& name) {
  const std::string path = program_path(name);
  const bool found = ::access(path.c_str(), X_OK) == 0;
  return {name, found, true, found ? path : path + " is not there", found ? "" : "scripts/quickstart builds it"};
}

/// What the runner says beside its own version: "torch 2.11.0+cu130, python 3.11.2 (…), cuda yes".
std::string torch_lines(const std::string& printed) {
  const auto own = printed.find('\n');
  std::string text = own == std::string::npos ? printed : printed.substr(own + 1);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  for (auto place = text.find('\n'); place != std::string::npos; place = text.find('\n', place))
    text.replace(place, 1, ", ");
  return text;
}

Finding torch() {
  const auto printed = capture({program_path("autokernel-runner"), "--version"}, std::chrono::seconds(60));
  if (printed && printed->status.success()) return {"torch", true, true, torch_lines(printed->output), ""};
  std::string why = "the runner does not start";
  if (!printed) {
    why = printed.error().message;
  } else if (!printed->errors.empty()) {
    why = first_line(printed->errors);
  }
  return {"torch", false, true, why, "scripts/setup"};
}

std::vector<Finding> gpus() {
  const auto devices = local_devices("all");
  if (!devices) return {{"devices", false, true, devices.error().message, "scripts/quickstart"}};
  std::vector<Finding> findings;
  for (const protocol::DeviceInfo& device : *devices) {
    if (device.kind == protocol::DeviceKind::kCpu) continue;
    findings.push_back(
        {"GPU", true, false, fmt::format("{}, {} GB ({})", device.name, device.memory_bytes >> 30U, device.id), ""});
  }
  if (findings.empty()) findings.push_back({"GPU", false, false, "none: candidates run on the CPU", ""});
  return findings;
}

Finding disk(const std::string& name, const std::filesystem::path& folder) {
  const auto available = system::free_bytes(folder);
  if (!available) return {name, false, true, available.error().message, ""};
  const bool enough = *available >= kMinimumFreeBytes;
  const std::string text = fmt::format("{}: {:.1f} GB free", std::filesystem::absolute(folder).string(),
                                       static_cast<double>(*available) / 1e9);
  return {name, enough, true, text, enough ? "" : "free some space"};
}

}  // namespace

std::vector<Finding> examine_machine() {
  std::vector<Finding> findings;
  for (const char* name : {"autokernel-coordinator", "autokernel-worker", "autokernel-runner"}) {
    findings.push_back(own_program(name));
  }
  findings.push_back(torch());
  findings.push_back(redis());
  for (Finding& finding : gpus()) findings.push_back(std::move(finding));
  findings.push_back(tool("g++", false, "native .cpp candidates and load_inline need it", "apt-get install g++"));
  findings.push_back(tool("ninja", false, "load_inline needs it", "apt-get install ninja-build"));
  findings.push_back(
      tool("nvcc", false, "CUDA candidates need it", "install the CUDA Toolkit and put its bin folder in PATH"));
  findings.push_back(
      tool("hipcc", false, "HIP candidates need it", "apt-get install hipcc rocm-device-libs libamdhip64-dev"));
  findings.push_back(disk("run folders", std::filesystem::current_path()));
  findings.push_back(disk("cache", cache_folder()));
  for (Finding& finding : examine_sandbox()) findings.push_back(std::move(finding));
  return findings;
}

}  // namespace autokernel::client
