#include "common/config/toml.hpp"

#include <toml++/toml.h>

#include <sstream>

namespace autokernel::config {
namespace {

using protocol::Value;

Value to_value(const toml::node& node, const std::string& path, std::map<std::string, std::int64_t>& lines);

Value table_to_value(const toml::table& table, const std::string& path, std::map<std::string, std::int64_t>& lines) {
  Value::Map map;
  for (const auto& [key, node] : table) {
    const std::string name(key.str());
    const std::string full = path.empty() ? name : path + "." + name;
    lines[full] = static_cast<std::int64_t>(node.source().begin.line);
    map.emplace_back(name, to_value(node, full, lines));
  }
  return Value(std::move(map));
}

Value to_value(const toml::node& node, const std::string& path, std::map<std::string, std::int64_t>& lines) {
  if (const auto* table = node.as_table()) return table_to_value(*table, path, lines);
  if (const auto* array = node.as_array()) {
    Value::Array items;
    for (const auto& item : *array) items.push_back(to_value(item, path, lines));
    return Value(std::move(items));
  }
  if (const auto* text = node.as_string()) return Value(text->get());
  if (const auto* whole = node.as_integer()) return Value(static_cast<std::int64_t>(whole->get()));
  if (const auto* real = node.as_floating_point()) return Value(real->get());
  if (const auto* truth = node.as_boolean()) return Value(truth->get());
  std::ostringstream text;
  node.visit([&](const auto& entry) {
    if constexpr (toml::is_value<decltype(entry)>) text << entry.get();
  });
  return Value(text.str());
}

std::string quoted(std::string_view text) {
  std::ostringstream out;
  out << toml::value<std::string>(std::string(text));
  return out.str();
}

std::string key_text(const std::string& key) {
  const bool bare =
      !key.empty() &&
      key.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == std::string::npos;
  return bare ? key : quoted(key);
}

std::string scalar_text(const Value& value) {
  if (const auto* text = value.as<std::string>()) return quoted(*text);
  if (const auto* truth = value.as<bool>()) return *truth ? "true" : "false";
  if (const auto* whole = value.as<std::int64_t>()) return fmt::format("{}", *whole);
  if (const auto* natural = value.as<std::uint64_t>()) return fmt::format("{}", *natural);
  if (const auto* array = value.as<Value::Array>()) {
    std::string text;
    for (const Value& item : *array) text += (text.empty() ? "" : ", ") + scalar_text(item);
    return "[" + text + "]";
  }
  const auto* real = value.as<double>();
  AUTOKERNEL_CHECK(real != nullptr);  // bytes and nil have no TOML form; nil entries were left out before
  std::ostringstream out;
  out << toml::value<double>(*real);
  return out.str();
}

void write_table(const Value::Map& map, const std::string& path, std::string& out) {
  for (const auto& [key, value] : map) {
    if (value.is_nil() || value.as<Value::Map>() != nullptr) continue;
    out += fmt::format("{} = {}\n", key_text(key), scalar_text(value));
  }
  for (const auto& [key, value] : map) {
    const auto* table = value.as<Value::Map>();
    if (table == nullptr) continue;
    const std::string full = path.empty() ? key_text(key) : path + "." + key_text(key);
    out += fmt::format("\n[{}]\n", full);
    write_table(*table, full, out);
  }
}

}  // namespace

Result<TomlDocument> parse_toml(std::string_view text, std::string_view file_name) {
  try {
    const toml::table table = toml::parse(text, file_name);
    TomlDocument document;
    document.root = table_to_value(table, "", document.lines);
    return document;
  } catch (const toml::parse_error& error) {
    return fail(Code::kInvalid, "{}, line {}: {}", file_name, error.source().begin.line, error.description());
  }
}

std::string format_toml(const Value& root) {
  const auto* map = root.as<Value::Map>();
  AUTOKERNEL_CHECK(map != nullptr);
  std::string out;
  write_table(*map, "", out);
  return out;
}

}  // namespace autokernel::config
