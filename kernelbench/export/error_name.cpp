#include "kernelbench/export/error_name.hpp"

#include <algorithm>
#include <cctype>

namespace autokernel::kernelbench {
namespace {

/// "torch.OutOfMemoryError" of "torch.OutOfMemoryError: CUDA out of memory", or nothing.
std::string_view exception_name(std::string_view line) {
  const std::size_t colon = line.find(':');
  const std::string_view name = line.substr(0, colon);
  const bool dotted = !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char letter) {
    return std::isalnum(letter) != 0 || letter == '_' || letter == '.';
  });
  const bool error =
      name.ends_with("Error") || name.ends_with("Exception") || name.ends_with("Interrupt") || name.ends_with("Exit");
  return dotted && error ? name : std::string_view();
}

/// The most bytes, up to `bytes` of a longer text, that end no UTF-8 sequence in its middle.
std::size_t whole_sequences(std::string_view text, std::size_t bytes) {
  std::size_t end = bytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return end;
}

}  // namespace

std::string error_name_in(std::string_view detail, std::string_view otherwise) {
  std::string found(otherwise);
  for (std::size_t start = 0; start < detail.size();) {
    const std::size_t end = std::min(detail.find('\n', start), detail.size());
    if (const auto name = exception_name(detail.substr(start, end - start)); !name.empty()) {
      found = name.substr(name.rfind('.') == std::string_view::npos ? 0 : name.rfind('.') + 1);
    }
    start = end + 1;
  }
  return found;
}

std::string cut_text(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return std::string(text);
  return std::string(text.substr(0, whole_sequences(text, bytes))) + "...";
}

std::string cut_at_word(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return std::string(text);
  constexpr std::string_view kMark = "…";
  const std::size_t room = bytes - std::min(bytes, kMark.size());
  std::string_view kept = text.substr(0, whole_sequences(text, room));
  // A blank right behind it ends a word, too.
  const std::size_t blank = text.substr(0, kept.size() + 1).rfind(' ');
  if (blank != std::string_view::npos && blank >= room / 2) kept = kept.substr(0, blank);
  while (!kept.empty() && (kept.back() == ' ' || kept.back() == ',')) kept.remove_suffix(1);
  return std::string(kept).append(kMark);
}

}  // namespace autokernel::kernelbench
