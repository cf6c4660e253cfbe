#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "common/result/result.hpp"

namespace autokernel::kernelbench {

/// No honest kernel source is larger; a file over this is a mistake (a weight file, a log) or an attack on memory.
inline constexpr std::size_t kMaxSourceBytes = std::size_t{4} << 20U;

/// A source file as it stands. Blocks on the disk. kInvalid: over kMaxSourceBytes, no regular file, not UTF-8, or a NUL
/// byte in it. kNotFound, kUnavailable: missing or not readable. The message says which, and at which byte.
[[nodiscard]] Result<std::string> read_source(const std::filesystem::path& path);

}  // namespace autokernel::kernelbench
