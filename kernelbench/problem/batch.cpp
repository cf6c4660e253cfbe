#include "kernelbench/problem/batch.hpp"

#include <algorithm>

#include "kernelbench/problem/python_text.hpp"

namespace autokernel::kernelbench {
namespace {

constexpr std::string_view kName = "batch_size";
constexpr std::string_view kBlanks = " \t";

struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// The integer literal, or product of them, that is all of `line` behind `from`; an empty span otherwise.
Span find_value(std::string_view line, std::size_t from) {
  const auto skip_blanks = [&](std::size_t at) { return std::min(line.find_first_not_of(kBlanks, at), line.size()); };
  Span value{skip_blanks(from), 0};
  for (std::size_t at = value.begin;;) {
    const std::size_t end = std::min(line.find_first_not_of("0123456789_", at), line.size());
    if (end == at || line[at] == '_') return {};
    value.end = end;
    at = skip_blanks(end);
    if (at == line.size() || line[at] == '\r' || line[at] == ';') return value;
    if (line[at] != '*') return {};
    at = skip_blanks(at + 1);
  }
}

}  // namespace

BatchOverride override_batch(std::string_view source, std::int64_t batch) {
  const std::string blanked = blank_strings_and_comments(source);
  BatchOverride result;
  std::size_t copied = 0;
  for (const std::size_t start : module_statement_starts(blanked)) {
    const std::string_view line =
        std::string_view(blanked).substr(start, std::min(blanked.find('\n', start), blanked.size()) - start);
    if (find_word(line, kName) != 0) continue;
    const std::size_t equals = line.find_first_not_of(kBlanks, kName.size());
    if (equals == std::string_view::npos || line[equals] != '=') continue;
    const Span value = find_value(line, equals + 1);
    if (value.end == 0) continue;
    result.text += source.substr(copied, start + value.begin - copied);
    result.text += std::to_string(batch);
    copied = start + value.end;
    result.replaced = true;
  }
  result.text += source.substr(copied);
  return result;
}

}  // namespace autokernel::kernelbench
