#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace autokernel::kernelbench {

/// The names that a mistyped one may have meant, best first: those that hold it as a part (ignoring case), then those
/// within a third of its length by edit distance. Empty when nothing is near.
[[nodiscard]] std::vector<std::string> near_names(std::string_view wanted, std::span<const std::string> names,
                                                  std::size_t at_most = 3);

/// "; did you mean 'a' or 'b'?", or nothing: the end of a message.
[[nodiscard]] std::string suggestion(std::span<const std::string> near);

/// Lower case, for comparing ASCII names.
[[nodiscard]] std::string lower_case(std::string_view text);

}  // namespace autokernel::kernelbench
