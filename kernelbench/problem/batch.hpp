#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace autokernel::kernelbench {

struct BatchOverride {
  std::string text;
  bool replaced = false;
};

/// Replaces the value of every module-level `batch_size = <integer>` (a literal, or a product of literals such as 8192
/// * 2) in Python source; blanks and comments of the line stay. Sizes that a problem derives from other names stay as
/// they are: `replaced` is false when no such line is there, and the record says so.
[[nodiscard]] BatchOverride override_batch(std::string_view source, std::int64_t batch);

}  // namespace autokernel::kernelbench
