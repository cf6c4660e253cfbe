#include "kernelbench/problem/source_text.hpp"

#include "common/system/file.hpp"

namespace autokernel::kernelbench {
namespace {

bool is_continuation(unsigned char byte) { return (byte & 0xC0U) == 0x80U; }

/// Length of the well-formed sequence at the start of `text`; 0 when there is none. Overlong forms, surrogates and
/// values over U+10FFFF are refused by the bounds on the second byte.
std::size_t sequence_length(std::string_view text) {
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

}  // namespace

std::size_t find_bad_utf8(std::string_view text) {
  for (std::size_t offset = 0; offset < text.size();) {
    const std::size_t length = sequence_length(text.substr(offset));
    if (length == 0) return offset;
    offset += length;
  }
  return std::string_view::npos;
}

Result<std::string> read_source(const std::filesystem::path& path) {
  AUTOKERNEL_TRY_ASSIGN(std::string text, system::read_file(path, kMaxSourceBytes));
  if (const auto bad = find_bad_utf8(text); bad != std::string_view::npos) {
    return fail(Code::kInvalid, "'{}' is not UTF-8 (byte {}): save it as UTF-8", path.string(), bad);
  }
  if (const auto nul = text.find('\0'); nul != std::string::npos) {
    return fail(Code::kInvalid, "'{}' holds a NUL byte (byte {}): it is not a source file", path.string(), nul);
  }
  return text;
}

}  // namespace autokernel::kernelbench
