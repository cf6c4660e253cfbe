#include "worker/runner/judge/foreign_text.hpp"

#include <cstdint>

namespace autokernel::judge {

namespace {

/// Bytes of the well-formed UTF-8 sequence that starts here; 0 when there is none.
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const auto follows = [&](std::size_t count) {
    if (text.size() <= count) return false;
    for (std::size_t i = 1; i <= count; ++i) {
      if ((byte(i) & 0xC0U) != 0x80U) return false;
    }
    return true;
  };
  const std::uint8_t first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return follows(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    if (!follows(2)) return 0;
    if (first == 0xE0 && byte(1) < 0xA0) return 0;   // overlong
    if (first == 0xED && byte(1) >= 0xA0) return 0;  // surrogate
    return 3;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    if (!follows(3)) return 0;
    if (first == 0xF0 && byte(1) < 0x90) return 0;
    if (first == 0xF4 && byte(1) >= 0x90) return 0;
    return 4;
  }
  return 0;
}

}  // namespace

std::string foreign_text(std::string_view text, std::size_t limit) {
  std::string clean;
  while (!text.empty()) {
    const std::size_t length = sequence_length(text);
    const char first = text.front();
    const bool control =
        length == 1 && (static_cast<unsigned char>(first) < 0x20 || first == 0x7F) && first != '\n' && first != '\t';
    const std::string_view piece = length == 0 || control ? std::string_view("?") : text.substr(0, length);
    if (clean.size() + piece.size() > limit) return clean + "...";
    clean += piece;
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return clean;
}

}  // namespace autokernel::judge
