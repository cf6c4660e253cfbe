#pragma once

#include <filesystem>

namespace autokernel::client {

/// Problems and candidates that come with AutoKernel: $AUTOKERNEL_SAMPLES_DIR, else where the sources lay at build
/// time.
[[nodiscard]] std::filesystem::path sample_problems();
[[nodiscard]] std::filesystem::path sample_candidates();

}  // namespace autokernel::client
