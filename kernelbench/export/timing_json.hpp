#pragma once

#include <optional>

#include "common/protocol/value.hpp"
#include "common/result/result.hpp"
#include "kernelbench/scoring/baseline.hpp"

namespace autokernel::kernelbench {

/// KernelBench's object of timing statistics, as it stands in baseline files and in eval_results.json.
[[nodiscard]] protocol::Value timing_value(const TimingStats& stats);

/// nullopt for null and for {}: not timed. kInvalid: no object, or without a mean.
[[nodiscard]] Result<std::optional<TimingStats>> parse_timing(const protocol::Value& value);

}  // namespace autokernel::kernelbench
