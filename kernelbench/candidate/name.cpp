#include "kernelbench/candidate/name.hpp"

#include <fmt/format.h>

#include <charconv>

namespace autokernel::kernelbench {
namespace {

using protocol::Language;

constexpr std::array<std::pair<Language, std::string_view>, 4> kSuffixes{
    {{Language::kPython, ".py"}, {Language::kCuda, ".cu"}, {Language::kHip, ".hip"}, {Language::kCpp, ".cpp"}}};

/// Takes `expected` off the front of `text`.
bool take(std::string_view& text, std::string_view expected) {
  if (!text.starts_with(expected)) return false;
  text.remove_prefix(expected.size());
  return true;
}

/// Takes a decimal number that fits off the front of `text`.
bool take(std::string_view& text, int& number) {
  if (text.empty() || text.front() < '0' || text.front() > '9') return false;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

/// Takes a known suffix off the end of `file`.
std::optional<Language> take_suffix(std::string_view& file) {
  const std::size_t dot = file.rfind('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const auto language = language_of_suffix(file.substr(dot));
  if (language) file = file.substr(0, dot);
  return language;
}

}  // namespace

std::optional<Language> language_of_suffix(std::string_view suffix) {
  for (const auto& [language, known] : kSuffixes) {
    if (known == suffix) return language;
  }
  return std::nullopt;
}

std::string_view suffix_of(Language language) {
  for (const auto& [known, suffix] : kSuffixes) {
    if (known == language) return suffix;
  }
  return ".py";
}

std::optional<CandidateName> parse_candidate_name(std::string_view file) {
  const auto language = take_suffix(file);
  CandidateName name;
  if (!language || !take(file, "level_") || !take(file, name.level) || !take(file, "_problem_") ||
      !take(file, name.problem) || !take(file, "_sample_") || !take(file, name.sample) || file != "_kernel") {
    return std::nullopt;
  }
  name.language = *language;
  return name;
}

std::string candidate_file_name(const CandidateName& name) {
  return fmt::format("level_{}_problem_{}_sample_{}_kernel{}", name.level, name.problem, name.sample,
                     suffix_of(name.language));
}

std::optional<MirroredName> parse_mirrored_name(std::string_view file) {
  const auto language = take_suffix(file);
  if (!language) return std::nullopt;
  MirroredName name;
  name.language = *language;
  if (const std::size_t dot = file.rfind('.'); dot != std::string_view::npos) {
    std::string_view marker = file.substr(dot);
    if (take(marker, ".sample_") && take(marker, name.sample) && marker.empty()) file = file.substr(0, dot);
  }
  name.stem = std::string(file);
  if (!take(file, name.problem) || !take(file, "_")) return std::nullopt;
  return name;
}

}  // namespace autokernel::kernelbench
