#pragma once

#include <string>

#include "kernelbench/scoring/sheet.hpp"

namespace autokernel::kernelbench {

/// The score sheet for a person, at most 100 columns wide, readable without colour. `colour` adds ANSI emphasis.
[[nodiscard]] std::string sheet_text(const ScoreSheet& sheet, bool colour = false);

}  // namespace autokernel::kernelbench
