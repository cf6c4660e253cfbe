#include "kernelbench/export/printable.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernelbench/problem/source_text.hpp"

namespace autokernel::kernelbench {
namespace {

std::string hex(char byte) { return fmt::format("\\x{:02x}", static_cast<unsigned char>(byte)); }

/// Bytes of the control character at the start of well-formed text; 0 when there is none. Those from U+0080 to U+009F
/// take two, and terminals obey them too.
std::size_t control_length(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x20) return first == '\n' || first == '\t' ? 0 : 1;
  if (first == 0x7F) return 1;
  return first == 0xC2 && static_cast<unsigned char>(text[1]) < 0xA0 ? 2 : 0;
}

void add_well_formed(std::string_view text, std::string& result) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t control = control_length(text.substr(at));
    if (control == 0) result += text[at];
    for (std::size_t byte = 0; byte < control; ++byte) result += hex(text[at + byte]);
    at += std::max<std::size_t>(control, 1);
  }
}

}  // namespace

std::string printable(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const std::size_t good = std::min(find_bad_utf8(text), text.size());
    add_well_formed(text.substr(0, good), result);
    if (good < text.size()) result += hex(text[good]);
    text.remove_prefix(std::min(good + 1, text.size()));
  }
  return result;
}

}  // namespace autokernel::kernelbench
