#pragma once

#include <string_view>

namespace autokernel::config {

/// The project's version, as CMake knows it: "0.1.0".
[[nodiscard]] std::string_view version();

}  // namespace autokernel::config
