#pragma once

#include <cstddef>
#include <string_view>

/// What bytes are text, for whoever reads or shows somebody else's.
namespace autokernel::text {

/// Bytes of the well-formed UTF-8 sequence at the start of `text`, which is not empty; 0 when there is none.
[[nodiscard]] std::size_t sequence_length(std::string_view text);

/// Offset of the first byte that is not part of well-formed UTF-8; npos when all are.
[[nodiscard]] std::size_t find_bad_utf8(std::string_view text);

/// Whether a well-formed sequence is a control character other than newline and tab. Those from U+0080 to U+009F take
/// two bytes, and terminals obey them too.
[[nodiscard]] bool is_control(std::string_view sequence);

}  // namespace autokernel::text
