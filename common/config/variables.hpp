#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace autokernel::config {

/// The environment variables of this process that begin with `prefix`.
[[nodiscard]] std::vector<std::string> variables_with(std::string_view prefix);

/// One warning for each of `names` that is not among `known`: most likely a typo, and what it says has no effect. The
/// nearest known name is suggested by what stands behind `prefix`, which all of them share. Names that begin with one
/// of `others` are for another program, which looks after them itself.
[[nodiscard]] std::vector<std::string> warn_of_unknown(const std::vector<std::string>& names, std::string_view prefix,
                                                       const std::vector<std::string>& known,
                                                       const std::vector<std::string>& others);

}  // namespace autokernel::config
