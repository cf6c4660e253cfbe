#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "common/protocol/value.hpp"
#include "common/result/result.hpp"

/// The only place that includes toml++. Dates become text; TOML has no nil, so nil entries are left out when written.
namespace autokernel::config {

struct TomlDocument {
  protocol::Value root;                       ///< a map
  std::map<std::string, std::int64_t> lines;  ///< "table.key" → its line, for messages
};

/// kInvalid names the file, the line and what is wrong there.
[[nodiscard]] Result<TomlDocument> parse_toml(std::string_view text, std::string_view file_name);

/// `root` must be a map. Plain entries come first, tables after them, both in the map's order.
[[nodiscard]] std::string format_toml(const protocol::Value& root);

}  // namespace autokernel::config
