#include "kernelbench/export/record_json.hpp"

#include <array>
#include <limits>

#include "common/protocol/describe.hpp"
#include "kernelbench/export/json.hpp"

namespace autokernel::kernelbench {
namespace {

using protocol::Record;
using protocol::Value;

Value* find(Value& value, std::string_view key) {
  auto* map = value.as<Value::Map>();
  if (map == nullptr) return nullptr;
  for (auto& [name, entry] : *map) {
    if (name == key) return &entry;
  }
  return nullptr;
}

Value split(const std::string& text) {
  Value::Array parts;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find_first_of(", ", start), text.size());
    if (end > start) parts.emplace_back(text.substr(start, end - start));
    start = end + 1;
  }
  return Value(std::move(parts));
}

/// The environment is a map of texts; of a list its parts are joined.
Value joined(const Value::Array& parts) {
  std::string text;
  for (const Value& part : parts) {
    if (const auto* name = part.as<std::string>()) text += (text.empty() ? "" : ",") + *name;
  }
  return Value(text);
}

/// JSON has no NaN or infinity, so they were written as null; where a number is required null is read back as NaN. A
/// record with an odd number in it must not become one that cannot be read.
void restore_numbers(Value& value) {
  const Value nan(std::numeric_limits<double>::quiet_NaN());
  if (auto* array = value.as<Value::Array>()) {
    for (Value& item : *array) {
      if (item.is_nil()) item = nan;
    }
  } else if (auto* map = value.as<Value::Map>()) {
    for (auto& [name, item] : *map) {
      if (item.is_nil()) item = nan;
    }
  }
}

void restore(Value& record) {
  if (Value* roofline = find(record, "roofline")) restore_numbers(*roofline);
  Value* timing = find(record, "timing");
  if (timing == nullptr) return;
  static constexpr std::array<std::string_view, 5> kNumbers{"candidate_us", "reference_us", "speedup",
                                                            "candidate_samples_us", "reference_samples_us"};
  for (const std::string_view name : kNumbers) {
    if (Value* part = find(*timing, name)) restore_numbers(*part);
  }
}

}  // namespace

Value record_value(const Record& record) {
  Value value = protocol::to_value(record);
  if (Value* environment = find(value, "environment")) {
    if (Value* sandbox = find(*environment, "sandbox"); sandbox != nullptr && sandbox->as<std::string>() != nullptr) {
      *sandbox = split(std::string(*sandbox->as<std::string>()));
    }
  }
  return value;
}

std::string record_line(const Record& record) { return to_json(record_value(record)); }

Result<Record> parse_record(std::string_view line) {
  AUTOKERNEL_TRY_ASSIGN(Value value, parse_json(line));
  if (const Value* schema = value.find("schema"); schema != nullptr && schema->as<std::int64_t>() != nullptr) {
    if (*schema->as<std::int64_t>() > kRecordSchema) {
      return fail(Code::kInvalid, "a record of schema {}, this program knows up to {}: use a newer autokernel",
                  *schema->as<std::int64_t>(), kRecordSchema);
    }
  }
  if (Value* environment = find(value, "environment")) {
    if (Value* sandbox = find(*environment, "sandbox"); sandbox != nullptr && sandbox->as<Value::Array>() != nullptr) {
      *sandbox = joined(Value::Array(*sandbox->as<Value::Array>()));
    }
  }
  restore(value);
  return protocol::from_value<Record>(value);
}

}  // namespace autokernel::kernelbench
