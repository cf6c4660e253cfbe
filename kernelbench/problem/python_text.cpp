#include "kernelbench/problem/python_text.hpp"

#include <algorithm>
#include <cctype>

namespace autokernel::kernelbench {
namespace {

bool is_word(char letter) { return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_'; }

/// Offset behind the string that opens at `at`. A one-line string that is never closed ends with its line.
std::size_t skip_string(std::string_view source, std::size_t at) {
  const char quote = source[at];
  const bool triple = source.substr(at, 3) == std::string(3, quote);
  std::size_t position = at + (triple ? 3 : 1);
  // In a raw string a backslash still keeps a quote from closing it, so both kinds step over the next letter.
  while (position < source.size()) {
    const char letter = source[position];
    if (letter == '\\') {
      position += 2;
    } else if (triple && source.substr(position, 3) == std::string(3, quote)) {
      return position + 3;
    } else if (!triple && (letter == quote || letter == '\n')) {
      return letter == quote ? position + 1 : position;
    } else {
      ++position;
    }
  }
  return source.size();
}

void blank(std::string& text, std::size_t begin, std::size_t end) {
  for (std::size_t index = begin; index < end; ++index) {
    if (text[index] != '\n' && text[index] != '\r') text[index] = ' ';
  }
}

std::string_view line_at(std::string_view text, std::size_t start) {
  return text.substr(start, std::min(text.find('\n', start), text.size()) - start);
}

}  // namespace

std::string blank_strings_and_comments(std::string_view source) {
  std::string text(source);
  for (std::size_t at = 0; at < source.size();) {
    const char letter = source[at];
    if (letter == '#') {
      const std::size_t end = std::min(source.find('\n', at), source.size());
      blank(text, at, end);
      at = end;
    } else if (letter == '"' || letter == '\'') {
      const std::size_t end = skip_string(source, at);
      blank(text, at, end);
      at = end;
    } else {
      ++at;
    }
  }
  return text;
}

std::vector<std::size_t> module_statement_starts(std::string_view blanked) {
  std::vector<std::size_t> starts;
  std::size_t depth = 0;
  bool line_start = true;
  bool continued = false;
  for (std::size_t at = 0; at < blanked.size(); ++at) {
    const char letter = blanked[at];
    if (line_start && depth == 0 && !continued && is_word(letter)) starts.push_back(at);
    line_start = false;
    if (letter == '(' || letter == '[' || letter == '{') ++depth;
    if ((letter == ')' || letter == ']' || letter == '}') && depth > 0) --depth;
    if (letter == '\n') {
      continued = at > 0 && (blanked[at - 1] == '\\' || (at > 1 && blanked[at - 1] == '\r' && blanked[at - 2] == '\\'));
      line_start = true;
    }
  }
  return starts;
}

std::size_t find_word(std::string_view text, std::string_view word, std::size_t from) {
  for (std::size_t at = text.find(word, from); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const bool starts = at == 0 || !is_word(text[at - 1]);
    const std::size_t end = at + word.size();
    if (starts && (end >= text.size() || !is_word(text[end]))) return at;
  }
  return std::string_view::npos;
}

bool seems_to_define(std::string_view blanked, std::string_view name) {
  for (std::size_t start = 0; start < blanked.size();) {
    const std::string_view line = line_at(blanked, start);
    const std::size_t first = line.find_first_not_of(" \t\f");
    if (first != std::string_view::npos) {
      const std::string_view code = line.substr(first);
      const bool imports = find_word(code, "import") != std::string_view::npos;
      if (imports && code.find('*') != std::string_view::npos) return true;
      if (const std::size_t at = find_word(code, name); at != std::string_view::npos) {
        const std::string_view before = code.substr(0, at);
        const std::string_view after = code.substr(at + name.size());
        const std::size_t next = after.find_first_not_of(" \t");
        const bool assigned = next != std::string_view::npos && (after[next] == '=' || after[next] == ':');
        const bool declared =
            find_word(before, "class") != std::string_view::npos || find_word(before, "def") != std::string_view::npos;
        if (declared || imports || assigned) return true;
      }
    }
    start += line.size() + 1;
  }
  return false;
}

}  // namespace autokernel::kernelbench
