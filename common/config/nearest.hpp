#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace autokernel::config {

/// The known name that a person most likely meant: few edits away (a swap of neighbours is one) or begun by `typed`.
/// nullopt when nothing is close, so that no message suggests nonsense.
[[nodiscard]] std::optional<std::string> nearest(std::string_view typed, const std::vector<std::string>& known);

/// "; did you mean X?", or nothing.
[[nodiscard]] std::string suggestion(std::string_view typed, const std::vector<std::string>& known);

}  // namespace autokernel::config
