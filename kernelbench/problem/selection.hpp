#pragma once

#include <string>
#include <variant>
#include <vector>

#include "common/result/result.hpp"
#include "kernelbench/problem/catalogue.hpp"

namespace autokernel::kernelbench {

/// Which problems of a catalogue a person asked for: `--level 1 2`, `--only 12,40-45,ReLU`.
struct Selection {
  struct Numbers {
    int first = 0;
    int last = 0;  ///< inclusive
    bool operator==(const Numbers&) const = default;
  };
  using Term = std::variant<Numbers, std::string>;

  std::vector<int> levels;  ///< empty: all
  std::vector<Term> only;   ///< empty: all; a problem that meets any term is taken
};

/// Parses the lists given to --only, each with commas. Names match a problem's file name with or without level, number
/// and
/// `.py`, ignoring case. kInvalid names the part that is wrong.
[[nodiscard]] Result<std::vector<Selection::Term>> parse_only(const std::vector<std::string>& lists);

/// The selected part, in the same order. kInvalid: a level that is not there, or a term that no problem of the chosen
/// levels meets (with the nearest names): a typo must not shrink a sweep silently.
[[nodiscard]] Result<Catalogue> select(Catalogue catalogue, const Selection& selection);

}  // namespace autokernel::kernelbench
