#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace autokernel::judge {

/// Text that a candidate wrote, as a record may hold it: valid UTF-8 without control characters but newlines and tabs,
/// cut to `limit` bytes with "..." where it was longer. Anything else could break a terminal or a JSON writer
/// downstream.
[[nodiscard]] std::string foreign_text(std::string_view text, std::size_t limit = 2048);

}  // namespace autokernel::judge
