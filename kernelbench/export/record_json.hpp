#pragma once

#include <string>
#include <string_view>

#include "common/protocol/record.hpp"
#include "common/protocol/value.hpp"
#include "common/result/result.hpp"

namespace autokernel::kernelbench {

/// The newest schema of records that this program writes and reads (docs/verdicts.md).
inline constexpr std::int64_t kRecordSchema = 1;

/// The public form of a record: its fields, with the sandbox's layers as a list.
[[nodiscard]] protocol::Value record_value(const protocol::Record& record);

/// The same as one line of JSON without a newline: a line of results.jsonl.
[[nodiscard]] std::string record_line(const protocol::Record& record);

/// kInvalid: not JSON, not a record (names the field), or of a newer schema (says so).
[[nodiscard]] Result<protocol::Record> parse_record(std::string_view line);

}  // namespace autokernel::kernelbench
