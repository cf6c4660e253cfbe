#pragma once

#include <string>
#include <string_view>

namespace autokernel::text {

/// Text of somebody else's (a candidate's message, a name in a file) as it may go to a terminal: control characters
/// other than newline and tab, and bytes that are not UTF-8, are written as "\x1b". Nothing that it returns can move a
/// cursor or set a colour.
[[nodiscard]] std::string printable(std::string_view text);

}  // namespace autokernel::text
