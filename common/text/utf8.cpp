#include "common/text/utf8.hpp"

namespace autokernel::text {
namespace {

bool is_continuation(unsigned char byte) { return (byte & 0xC0U) == 0x80U; }

}  // namespace

std::size_t sequence_length(std::string_view text) {
  // Overlong forms, surrogates and values over U+10FFFF are refused by the bounds on the second byte.
  const auto at = [&](std::size_t index) { return static_cast<unsigned char>(text[index]); };
  const unsigned char first = at(0);
  if (first < 0x80U) return 1;
  std::size_t length = 0;
  unsigned char low = 0x80U;
  unsigned char high = 0xBFU;
  if (first >= 0xC2U && first <= 0xDFU) {
    length = 2;
  } else if (first >= 0xE0U && first <= 0xEFU) {
    length = 3;
    if (first == 0xE0U) low = 0xA0U;
    if (first == 0xEDU) high = 0x9FU;
  } else if (first >= 0xF0U && first <= 0xF4U) {
    length = 4;
    if (first == 0xF0U) low = 0x90U;
    if (first == 0xF4U) high = 0x8FU;
  }
  if (length == 0 || text.size() < length || at(1) < low || at(1) > high) return 0;
  for (std::size_t index = 2; index < length; ++index) {
    if (!is_continuation(at(index))) return 0;
  }
  return length;
}

std::size_t find_bad_utf8(std::string_view text) {
  for (std::size_t offset = 0; offset < text.size();) {
    const std::size_t length = sequence_length(text.substr(offset));
    if (length == 0) return offset;
    offset += length;
  }
  return std::string_view::npos;
}

bool is_control(std::string_view sequence) {
  const auto first = static_cast<unsigned char>(sequence[0]);
  if (sequence.size() == 2) return first == 0xC2U && static_cast<unsigned char>(sequence[1]) < 0xA0U;
  return sequence.size() == 1 && ((first < 0x20U && first != '\n' && first != '\t') || first == 0x7FU);
}

}  // namespace autokernel::text
