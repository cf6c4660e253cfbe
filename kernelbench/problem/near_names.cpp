#include "kernelbench/problem/near_names.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

namespace autokernel::kernelbench {
namespace {

/// A longer name is never near a typed one, and bounding it keeps the table small whatever a folder holds.
constexpr std::size_t kLongest = 255;

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t column = 0; column < row.size(); ++column) row[column] = column;
  for (std::size_t line = 1; line <= a.size(); ++line) {
    std::size_t diagonal = row[0];
    row[0] = line;
    for (std::size_t column = 1; column < row.size(); ++column) {
      const std::size_t replaced = diagonal + (a[line - 1] == b[column - 1] ? 0 : 1);
      diagonal = row[column];
      row[column] = std::min({replaced, row[column] + 1, row[column - 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return lower;
}

std::vector<std::string> near_names(std::string_view wanted, std::span<const std::string> names, std::size_t at_most) {
  const std::string typed = lower_case(wanted.substr(0, kLongest));
  std::vector<std::pair<std::size_t, std::string>> ranked;
  for (const std::string& name : names) {
    const std::string known = lower_case(std::string_view(name).substr(0, kLongest));
    if (typed.size() >= 2 && known.find(typed) != std::string::npos) {
      ranked.emplace_back(0, name);
    } else if (const std::size_t distance = edit_distance(typed, known);
               distance <= std::max<std::size_t>(1, typed.size() / 3)) {
      ranked.emplace_back(distance, name);
    }
  }
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> near;
  for (auto& [distance, name] : ranked) {
    if (near.size() == at_most) break;
    if (std::find(near.begin(), near.end(), name) == near.end()) near.push_back(std::move(name));
  }
  return near;
}

std::string suggestion(std::span<const std::string> near) {
  if (near.empty()) return "";
  std::string text = "; did you mean ";
  for (std::size_t index = 0; index < near.size(); ++index) {
    if (index > 0) text += index + 1 == near.size() ? " or " : ", ";
    text += "'" + near[index] + "'";
  }
  return text + "?";
}

}  // namespace autokernel::kernelbench
