#include "worker/runner/judge/foreign_text.hpp"

#include <algorithm>

#include "common/text/utf8.hpp"

namespace autokernel::judge {

std::string foreign_text(std::string_view text, std::size_t limit) {
  std::string clean;
  while (!text.empty()) {
    const std::size_t length = text::sequence_length(text);
    const std::string_view sequence = text.substr(0, std::max<std::size_t>(length, 1));
    const bool proper = length > 0 && !text::is_control(sequence);
    const std::string_view piece = proper ? sequence : std::string_view("?");
    if (clean.size() + piece.size() > limit) return clean + "...";
    clean += piece;
    text.remove_prefix(sequence.size());
  }
  return clean;
}

}  // namespace autokernel::judge
