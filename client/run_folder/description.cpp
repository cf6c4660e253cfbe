#include "client/run_folder/description.hpp"

#include <algorithm>
#include <set>

#include "common/config/toml.hpp"
#include "common/protocol/describe.hpp"

namespace autokernel::client {
namespace {

using protocol::Value;

std::string text_of(const Value* value) {
  if (value == nullptr || value->is_nil()) return "none";
  if (const auto* text = value->as<std::string>()) return text->empty() ? "none" : *text;
  if (const auto* truth = value->as<bool>()) return *truth ? "yes" : "no";
  if (const auto* whole = value->as<std::int64_t>()) return fmt::format("{}", *whole);
  if (const auto* natural = value->as<std::uint64_t>()) return fmt::format("{}", *natural);
  if (const auto* real = value->as<double>()) return fmt::format("{}", *real);
  return std::string(value->kind());
}

/// Files by name and digest: which were added, taken away or changed.
void compare_files(const std::string& what, const std::map<std::string, std::string>& then,
                   const std::map<std::string, std::string>& now, std::vector<std::string>& lines) {
  for (const auto& [name, digest] : then) {
    const auto found = now.find(name);
    if (found == now.end()) {
      lines.push_back(fmt::format("{} {}: then, not now", what, name));
    } else if (found->second != digest) {
      lines.push_back(fmt::format("{} {}: its text has changed", what, name));
    }
  }
  for (const auto& [name, digest] : now) {
    if (then.count(name) == 0) lines.push_back(fmt::format("{} {}: now, not then", what, name));
  }
}

/// TOML has no nil, so that an option that is not set is not in the file: it keeps its default.
Value with_defaults(const Value& given, const Value& defaults) {
  Value merged = defaults;
  auto* target = merged.as<Value::Map>();
  const auto* source = given.as<Value::Map>();
  if (target == nullptr || source == nullptr) return given;
  for (const auto& [key, value] : *source) {
    const auto place = std::find_if(target->begin(), target->end(),
                                    [&, &name = key](const auto& entry) { return entry.first == name; });
    if (place == target->end()) {
      target->emplace_back(key, value);
    } else if (key == "options") {
      place->second = with_defaults(value, place->second);
    } else {
      place->second = value;
    }
  }
  return merged;
}

}  // namespace

std::vector<std::string> differences(const RunDescription& then, const RunDescription& now) {
  std::vector<std::string> lines;
  const auto compare = [&](std::string_view name, const Value* before, const Value* after) {
    if (text_of(before) != text_of(after)) {
      lines.push_back(fmt::format("{}: {} then, {} now", name, text_of(before), text_of(after)));
    }
  };
  const Value before = protocol::to_value(then);
  const Value after = protocol::to_value(now);
  for (const char* name : {"command", "devices", "connect"}) compare(name, before.find(name), after.find(name));
  for (const auto& [name, value] : *before.find("options")->as<Value::Map>()) {
    compare(name, &value, after.find("options")->find(name));
  }
  compare_files("problem", then.problem_digests, now.problem_digests, lines);
  compare_files("candidate", then.candidate_digests, now.candidate_digests, lines);
  return lines;
}

std::string format_description(const RunDescription& description) {
  return config::format_toml(protocol::to_value(description));
}

Result<RunDescription> parse_description(std::string_view text, std::string_view file_name) {
  auto parsed = config::parse_toml(text, file_name);
  if (!parsed) {
    return fail(parsed.error().code, "{}; restore the file, or use another run folder", parsed.error().message);
  }
  const config::TomlDocument& document = *parsed;
  // The schema first: a newer file may lack what this version wants, and deserves the better message.
  const Value* schema = document.root.find("schema");
  const auto* number = schema == nullptr ? nullptr : schema->as<std::int64_t>();
  if (number == nullptr) return fail(Code::kInvalid, "{}: it is no run's description: 'schema' is missing", file_name);
  if (*number > RunDescription::kSchema) {
    return fail(
        Code::kInvalid,
        "{}: written by a newer autokernel (schema {}, this one reads {}): use that version, or another run folder",
        file_name, *number, RunDescription::kSchema);
  }
  RunDescription standard;
  auto description = protocol::from_value<RunDescription>(with_defaults(document.root, protocol::to_value(standard)));
  if (!description) return tl::unexpected(description.error().within(file_name));
  return description;
}

}  // namespace autokernel::client
