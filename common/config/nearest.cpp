#include "common/config/nearest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace autokernel::config {
namespace {

/// Edits between two words, a swap of two neighbours counted once (optimal string alignment).
std::size_t distance(std::string_view left, std::string_view right) {
  std::vector<std::vector<std::size_t>> table(left.size() + 1, std::vector<std::size_t>(right.size() + 1));
  for (std::size_t row = 0; row <= left.size(); ++row) table[row][0] = row;
  for (std::size_t column = 0; column <= right.size(); ++column) table[0][column] = column;
  for (std::size_t row = 1; row <= left.size(); ++row) {
    for (std::size_t column = 1; column <= right.size(); ++column) {
      const std::size_t cost = left[row - 1] == right[column - 1] ? 0 : 1;
      std::size_t best = std::min(table[row - 1][column] + 1, table[row][column - 1] + 1);
      best = std::min(best, table[row - 1][column - 1] + cost);
      if (row > 1 && column > 1 && left[row - 1] == right[column - 2] && left[row - 2] == right[column - 1]) {
        best = std::min(best, table[row - 2][column - 2] + 1);
      }
      table[row][column] = best;
    }
  }
  return table[left.size()][right.size()];
}

}  // namespace

std::optional<std::string> nearest(std::string_view typed, const std::vector<std::string>& known) {
  std::optional<std::string> best;
  std::size_t best_distance = std::numeric_limits<std::size_t>::max();
  for (const std::string& name : known) {
    const bool begun = typed.size() >= 2 && std::string_view(name).substr(0, typed.size()) == typed;
    const std::size_t edits = begun ? 0 : distance(typed, name);
    const std::size_t allowed = std::max<std::size_t>(1, std::max(typed.size(), name.size()) / 3);
    if (edits <= allowed && edits < best_distance) {
      best = name;
      best_distance = edits;
    }
  }
  return best;
}

std::string suggestion(std::string_view typed, const std::vector<std::string>& known) {
  const auto found = nearest(typed, known);
  return found ? fmt::format("; did you mean {}?", *found) : std::string();
}

}  // namespace autokernel::config
