#include "kernelbench/export/json.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace autokernel::kernelbench {
namespace {

using nlohmann::ordered_json;
using protocol::Limits;
using protocol::Value;

std::string hex(std::string_view bytes) {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const char byte : bytes) {
    const auto code = static_cast<unsigned char>(byte);
    text += kDigits[code >> 4U];
    text += kDigits[code & 0xFU];
  }
  return text;
}

ordered_json convert(const Value& value) {
  if (const auto* flag = value.as<bool>()) return *flag;
  if (const auto* whole = value.as<std::int64_t>()) return *whole;
  if (const auto* natural = value.as<std::uint64_t>()) return *natural;
  if (const auto* real = value.as<double>()) return *real;
  if (const auto* text = value.as<std::string>()) return *text;
  if (const auto* bytes = value.as<Value::Bytes>()) return hex(bytes->data);
  if (const auto* array = value.as<Value::Array>()) {
    auto items = ordered_json::array();
    for (const Value& item : *array) items.push_back(convert(item));
    return items;
  }
  if (const auto* map = value.as<Value::Map>()) {
    // Straight into the ordered container: its operator[] looks through all keys each time.
    ordered_json::object_t entries;
    for (const auto& [key, item] : *map) entries.push_back({key, convert(item)});
    return entries;
  }
  return nullptr;
}

std::string place(std::string_view text, std::size_t offset) {
  offset = std::min(offset, text.size());
  const std::string_view before = text.substr(0, offset);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t start = before.rfind('\n');
  const std::size_t column = start == std::string_view::npos ? offset : offset - start - 1;
  return fmt::format("line {}, column {} (byte {})", line, column, offset);
}

/// Builds a Value from nlohmann's events, so that limits hold while parsing and not after.
class Builder : public nlohmann::json_sax<ordered_json> {
 public:
  Builder(std::string_view text, const Limits& limits) : text_(text), limits_(limits) {}

  [[nodiscard]] const std::string& problem() const { return problem_; }
  [[nodiscard]] Value take() { return std::move(root_); }

  bool null() override { return put(Value()); }
  bool boolean(bool value) override { return put(Value(value)); }
  bool number_integer(std::int64_t value) override { return put(Value(value)); }
  bool number_unsigned(std::uint64_t value) override {
    if (value <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      return put(Value(static_cast<std::int64_t>(value)));
    }
    return put(Value(value));
  }
  bool number_float(double value, const std::string& /*text*/) override { return put(Value(value)); }
  bool string(std::string& value) override { return put(Value(std::move(value))); }
  bool binary(ordered_json::binary_t& /*value*/) override { return refuse("binary data"); }
  bool start_object(std::size_t /*count*/) override { return open(Value(Value::Map{})); }
  bool key(std::string& name) override {
    open_.back().key = std::move(name);
    return true;
  }
  bool end_object() override { return close(); }
  bool start_array(std::size_t /*count*/) override { return open(Value(Value::Array{})); }
  bool end_array() override { return close(); }
  bool parse_error(std::size_t position, const std::string& token,
                   const nlohmann::detail::exception& /*error*/) override {
    // Of the offending text only a little: it may be long, and is not ours.
    const std::string shown = token.substr(0, 40);
    return refuse(
        fmt::format("not valid JSON at {}{}", place(text_, position), shown.empty() ? "" : ", near '" + shown + "'"));
  }

 private:
  struct Open {
    Value container;
    std::string key;
    std::unordered_map<std::string, std::size_t> index;  // of a map's keys
  };

  bool refuse(std::string problem) {
    if (problem_.empty()) problem_ = std::move(problem);
    return false;
  }

  bool put(Value value) {
    if (++elements_ > limits_.elements) return refuse(fmt::format("more than {} values", limits_.elements));
    if (open_.empty()) {
      root_ = std::move(value);
      return true;
    }
    Open& parent = open_.back();
    if (auto* array = parent.container.as<Value::Array>()) {
      array->push_back(std::move(value));
      return true;
    }
    auto* map = parent.container.as<Value::Map>();
    const auto [entry, fresh] = parent.index.emplace(parent.key, map->size());
    if (fresh) {
      map->emplace_back(std::move(parent.key), std::move(value));
    } else {
      (*map)[entry->second].second = std::move(value);
    }
    return true;
  }

  bool open(Value container) {
    if (open_.size() >= limits_.depth) return refuse(fmt::format("nested more than {} deep", limits_.depth));
    open_.push_back(Open{std::move(container), {}, {}});
    return true;
  }

  bool close() {
    Value value = std::move(open_.back().container);
    open_.pop_back();
    return put(std::move(value));
  }

  std::string_view text_;
  Limits limits_;
  Value root_;
  std::vector<Open> open_;
  std::string problem_;
  std::size_t elements_ = 0;
};

/// JSON leaves DEL and the controls from U+0080 to U+009F as they are, and a terminal obeys them. They can only stand
/// inside strings, where an escape means the same.
std::string without_controls(const std::string& json) {
  const auto code = [&](std::size_t at) { return static_cast<unsigned char>(json[at]); };
  std::string text;
  text.reserve(json.size());
  for (std::size_t at = 0; at < json.size(); ++at) {
    if (code(at) == 0x7F) {
      text += "\\u007f";
    } else if (code(at) == 0xC2 && at + 1 < json.size() && code(at + 1) < 0xA0) {
      text += fmt::format("\\u{:04x}", code(++at));
    } else {
      text += json[at];
    }
  }
  return text;
}

std::string dump(const Value& value, int indent) {
  return without_controls(convert(value).dump(indent, ' ', false, ordered_json::error_handler_t::replace));
}

/// The length of a number that is none, as Python's json writes it, at the start of `text`; 0 when there is none.
std::size_t python_number(std::string_view text) {
  for (const std::string_view word : {"NaN", "-Infinity", "Infinity"}) {
    if (text.starts_with(word)) return word.size();
  }
  return 0;
}

bool is_word_letter(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || (letter >= '0' && letter <= '9') ||
         letter == '_' || letter == '-';
}

/// Python writes NaN and Infinity where JSON has nothing to write: outside of strings they become null. nullopt when
/// there are none, so that most texts are not copied.
std::optional<std::string> with_nulls_for_python(std::string_view text) {
  std::optional<std::string> result;
  std::size_t copied = 0;
  bool in_string = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char letter = text[at];
    if (in_string) {
      if (letter == '\\') ++at;
      in_string = letter != '"';
      continue;
    }
    in_string = letter == '"';
    if (letter != 'N' && letter != 'I' && letter != '-') continue;
    const std::size_t length = python_number(text.substr(at));
    const bool whole = length > 0 && (at == 0 || !is_word_letter(text[at - 1])) &&
                       (at + length == text.size() || !is_word_letter(text[at + length]));
    if (!whole) continue;
    if (!result) result.emplace();
    result->append(text.substr(copied, at - copied)).append("null");
    copied = at + length;
    at = copied - 1;
  }
  if (result) result->append(text.substr(copied));
  return result;
}

}  // namespace

std::string to_json(const Value& value) { return dump(value, -1); }

std::string to_pretty_json(const Value& value) { return dump(value, 2) + "\n"; }

Result<Value> parse_json(std::string_view text, const Limits& limits) {
  if (text.size() > limits.bytes)
    return fail(Code::kInvalid, "{} bytes of JSON, the limit is {}", text.size(), limits.bytes);
  Builder builder(text, limits);
  try {
    if (!ordered_json::sax_parse(text.begin(), text.end(), &builder)) {
      return fail(Code::kInvalid, "{}", builder.problem().empty() ? "not valid JSON" : builder.problem());
    }
  } catch (const std::exception& error) {
    return fail(Code::kInvalid, "not valid JSON: {}", error.what());
  }
  return builder.take();
}

Result<Value> parse_python_json(std::string_view text, const Limits& limits) {
  const auto replaced = with_nulls_for_python(text);
  return parse_json(replaced ? *replaced : text, limits);
}

}  // namespace autokernel::kernelbench
