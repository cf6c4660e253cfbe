#include "kernelbench/scoring/baseline.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>

namespace autokernel::kernelbench {
namespace {

std::string_view bare_name(std::string_view problem) {
  if (const std::size_t slash = problem.rfind('/'); slash != std::string_view::npos) problem.remove_prefix(slash + 1);
  if (problem.ends_with(".py")) problem.remove_suffix(3);
  return problem;
}

}  // namespace

const TimingStats* Baseline::find(int level, std::string_view problem) const {
  const auto entries = levels.find(level);
  if (entries == levels.end()) return nullptr;
  const std::string bare(bare_name(problem));
  for (const std::string& key : {bare + ".py", bare}) {
    if (const auto entry = entries->second.find(key); entry != entries->second.end() && entry->second)
      return &*entry->second;
  }
  return nullptr;
}

double three_digits(double value) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.3g", value);
  return std::strtod(text.data(), nullptr);
}

}  // namespace autokernel::kernelbench
