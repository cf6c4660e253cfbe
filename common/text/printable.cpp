#include "common/text/printable.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "common/text/utf8.hpp"

namespace autokernel::text {

std::string printable(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = sequence_length(text);
    const std::string_view piece = text.substr(0, std::max<std::size_t>(length, 1));
    if (length > 0 && !is_control(piece)) {
      result += piece;
    } else {
      for (const char byte : piece) result += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
    }
    text.remove_prefix(piece.size());
  }
  return result;
}

}  // namespace autokernel::text
