#include "worker/runner/builder/compiler_log.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

namespace autokernel::runner {
namespace {

constexpr std::size_t kMaxBytes = 4096;
constexpr std::size_t kMaxErrors = 12;
constexpr std::size_t kLinesBelow = 2;  // the source line and the caret
constexpr std::size_t kTailLines = 20;

constexpr std::array<std::string_view, 13> kErrorMarks{
    ": error",         "): error",    " error: ",    "fatal error", "undefined reference", "undefined symbol",
    "required symbol", "ptxas fatal", "ptxas error", "nvcc fatal",  "catastrophic error",  "ld: cannot find",
    "collect2: error"};

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const auto end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  return lines;
}

bool is_error(std::string_view line) {
  return line.starts_with("error") || std::any_of(kErrorMarks.begin(), kErrorMarks.end(), [&](std::string_view mark) {
           return line.find(mark) != std::string_view::npos;
         });
}

bool is_shown_source(std::string_view line) {
  return line.starts_with(" ") && line.find('|') != std::string_view::npos;
}

void append_line(std::string& text, std::string_view line) {
  if (text.size() + line.size() + 1 > kMaxBytes) return;
  text.append(line).push_back('\n');
}

}  // namespace

std::string first_errors(std::string_view log) {
  const auto lines = lines_of(log);
  std::string text;
  std::size_t errors = 0;
  for (std::size_t i = 0; i < lines.size() && errors < kMaxErrors; ++i) {
    if (!is_error(lines[i])) continue;
    ++errors;
    append_line(text, lines[i]);
    for (std::size_t below = 1; below <= kLinesBelow && i + below < lines.size() && is_shown_source(lines[i + below]);
         ++below) {
      append_line(text, lines[i + below]);
    }
  }
  if (errors == 0) {
    for (std::size_t i = lines.size() - std::min(lines.size(), kTailLines); i < lines.size(); ++i)
      append_line(text, lines[i]);
  }
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

bool says_tool_is_missing(std::string_view log) {
  constexpr std::array<std::string_view, 5> kMarks{
      "Ninja is required to load C++ extensions", "CUDA_HOME environment variable is not set",
      "ROCM_HOME environment variable is not set", "nvcc: not found", "Error checking compiler version for"};
  if (std::any_of(kMarks.begin(), kMarks.end(), [&](auto mark) { return log.find(mark) != std::string_view::npos; }))
    return true;
  for (const std::string_view line : lines_of(log)) {
    // The shell's words about the program itself; "x.h: No such file" is the candidate's affair.
    const bool not_found = line.ends_with(": not found") || line.ends_with(": command not found");
    if (not_found && (line.find("sh: ") != std::string_view::npos || line.find("bash: ") != std::string_view::npos))
      return true;
  }
  return false;
}

}  // namespace autokernel::runner
