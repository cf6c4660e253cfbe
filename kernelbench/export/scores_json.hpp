#pragma once

#include "common/protocol/value.hpp"
#include "kernelbench/scoring/sheet.hpp"

namespace autokernel::kernelbench {

/// scores.json, and what `score --json` prints; docs/scoring.md names every field. What is not known is null.
[[nodiscard]] protocol::Value scores_value(const ScoreSheet& sheet);

}  // namespace autokernel::kernelbench
