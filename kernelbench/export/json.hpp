#pragma once

#include <string>
#include <string_view>

#include "common/protocol/codec.hpp"
#include "common/protocol/value.hpp"
#include "common/result/result.hpp"

namespace autokernel::kernelbench {

/// JSON text of a value, keys in their order. NaN and infinities become null, bytes become lower-case hex, and text
/// that is not UTF-8 (a compiler's or a candidate's message) gets replacement characters: the result is always valid
/// JSON. Control characters are escaped, so that it may go to a terminal.
[[nodiscard]] std::string to_json(const protocol::Value& value);         ///< one line, for JSON lines
[[nodiscard]] std::string to_pretty_json(const protocol::Value& value);  ///< indented, for people and files

/// Exactly one JSON document. kInvalid: not JSON (with line and column), or over a limit. Of equal keys the last one
/// counts.
[[nodiscard]] Result<protocol::Value> parse_json(std::string_view text, const protocol::Limits& limits = {});

/// The same for what Python's json wrote, which is not always JSON: NaN and Infinity are read as null.
[[nodiscard]] Result<protocol::Value> parse_python_json(std::string_view text, const protocol::Limits& limits = {});

}  // namespace autokernel::kernelbench
