#include "kernelbench/candidate/needs.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "kernelbench/problem/python_text.hpp"

namespace autokernel::kernelbench {
namespace {

using protocol::DeviceKind;

/// CUDA source sits inside string literals, so these are looked for in the text as it stands.
constexpr std::array<std::string_view, 2> kDeviceSource{"__global__", "cuda_sources"};
constexpr std::array<std::string_view, 2> kDeviceLanguages{"tilelang", "cutlass"};

bool imports(std::string_view blanked, std::string_view module) {
  for (std::size_t at = find_word(blanked, module); at != std::string_view::npos;
       at = find_word(blanked, module, at + 1)) {
    const std::size_t newline = blanked.rfind('\n', at);
    const std::size_t line = newline == std::string_view::npos ? 0 : newline + 1;
    const std::string_view before = blanked.substr(line, at - line);
    if (find_word(before, "import") != std::string_view::npos || find_word(before, "from") != std::string_view::npos) {
      return true;
    }
  }
  return false;
}

DeviceKind python_needs(std::string_view text) {
  const bool source = std::any_of(kDeviceSource.begin(), kDeviceSource.end(),
                                  [&](std::string_view mark) { return text.find(mark) != std::string_view::npos; });
  if (source) {
    return text.find("hip/hip_runtime.h") != std::string_view::npos ? DeviceKind::kHip : DeviceKind::kCuda;
  }
  const std::string blanked = blank_strings_and_comments(text);
  const bool language = std::any_of(kDeviceLanguages.begin(), kDeviceLanguages.end(),
                                    [&](std::string_view module) { return imports(blanked, module); });
  return language ? DeviceKind::kCuda : DeviceKind::kAny;
}

}  // namespace

DeviceKind device_needs(protocol::Language language, std::string_view text) {
  switch (language) {
    case protocol::Language::kCuda: return DeviceKind::kCuda;
    case protocol::Language::kHip: return DeviceKind::kHip;
    case protocol::Language::kCpp: return DeviceKind::kCpu;
    case protocol::Language::kPython: break;
  }
  return python_needs(text);
}

}  // namespace autokernel::kernelbench
