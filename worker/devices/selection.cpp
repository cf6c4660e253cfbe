#include "worker/devices/selection.hpp"

#include <algorithm>
#include <charconv>

namespace autokernel::devices {
namespace {

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  while (true) {
    const auto comma = text.find(',');
    parts.push_back(text.substr(0, comma));
    if (comma == std::string_view::npos) return parts;
    text.remove_prefix(comma + 1);
  }
}

std::optional<std::size_t> whole_number(std::string_view text) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string names_of(const std::vector<Device>& gpus) {
  std::string text;
  for (const Device& gpu : gpus) text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", gpu.flag(), gpu.name);
  return text;
}

}  // namespace

std::vector<Device> visible_gpus(const std::vector<Device>& all, const std::optional<std::string>& variable) {
  if (!variable) return all;
  std::vector<Device> visible;
  for (const std::string_view entry : split(*variable)) {
    auto found = all.end();
    if (const auto index = whole_number(entry)) {
      if (*index < all.size()) found = all.begin() + static_cast<std::ptrdiff_t>(*index);
    } else if (entry.starts_with("GPU-")) {
      found = std::find_if(all.begin(), all.end(), [&](const Device& gpu) { return gpu.id.starts_with(entry); });
    }
    if (found == all.end()) break;
    Device gpu = *found;
    gpu.index = static_cast<int>(visible.size());
    visible.push_back(std::move(gpu));
  }
  return visible;
}

Result<std::vector<Device>> select_devices(std::string_view wanted, const std::vector<Device>& gpus,
                                           const Device& cpu) {
  if (wanted == "all") return gpus.empty() ? std::vector<Device>{cpu} : gpus;
  std::vector<Device> chosen;
  for (const std::string_view name : split(wanted)) {
    const Device* device = nullptr;
    if (name == "cpu") {
      device = &cpu;
    } else if (name.starts_with("cuda:")) {
      const auto index = whole_number(name.substr(5));
      if (!index) return fail(Code::kInvalid, "--devices: '{}' is no device; write cuda:0, cuda:1 and so on", name);
      if (*index >= gpus.size()) {
        if (gpus.empty()) {
          return fail(Code::kNotFound, "--devices: {} is not on this machine: no GPU was found; use cpu", name);
        }
        return fail(Code::kNotFound, "--devices: {} is not on this machine; use one of {}", name, names_of(gpus));
      }
      device = &gpus[*index];
    } else {
      return fail(Code::kInvalid, "--devices: '{}' is no device; use all, cpu, or a list such as cuda:0,cuda:1", name);
    }
    const bool twice =
        std::any_of(chosen.begin(), chosen.end(), [&](const Device& other) { return other.id == device->id; });
    if (twice) return fail(Code::kInvalid, "--devices: '{}' is named twice", name);
    chosen.push_back(*device);
  }
  return chosen;
}

}  // namespace autokernel::devices
