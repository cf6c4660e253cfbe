#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "common/protocol/codec.hpp"
#include "common/protocol/value.hpp"
#include "common/result/result.hpp"

/// One description of a struct serves every encoding: a struct has
///     template <class Archive> void describe(Archive& archive) { archive.field("name", name); … }
/// and an enum has, in its own namespace,
///     constexpr auto names_of(E) { return std::array{std::pair{E::kOne, std::string_view("one")}, …}; }
/// to_value and from_value then serve MessagePack (encode, decode) and JSON (kernelbench/export) alike.
/// Unknown fields are ignored, so that a newer peer may say more. A field that is missing keeps its default when it
/// was described with optional_field, and is an error otherwise.
namespace autokernel::protocol {

template <class E>
concept NamedEnum = std::is_enum_v<E> && requires {
  names_of(E{});
};

template <NamedEnum E>
[[nodiscard]] constexpr std::string_view name_of(E value) {
  for (const auto& [candidate, name] : names_of(E{})) {
    if (candidate == value) return name;
  }
  return "?";
}

template <NamedEnum E>
[[nodiscard]] constexpr std::optional<E> parse_name(std::string_view text) {
  for (const auto& [candidate, name] : names_of(E{})) {
    if (name == text) return candidate;
  }
  return std::nullopt;
}

/// "main, v0.1": every name of the enum, for help texts and messages.
template <NamedEnum E>
[[nodiscard]] std::string all_names() {
  std::string text;
  for (const auto& [candidate, name] : names_of(E{})) {
    text += text.empty() ? "" : ", ";
    text += name;
  }
  return text;
}

class Writer;
class Reader;

template <class T>
concept Described = requires(T& object, Writer& archive) {
  object.describe(archive);
};

template <class T>
[[nodiscard]] Value to_value(const T& object);

template <class T>
[[nodiscard]] Result<T> from_value(const Value& value);

namespace detail {
template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};
template <class T>
struct IsVector : std::false_type {};
template <class T>
struct IsVector<std::vector<T>> : std::true_type {};
template <class T>
struct IsTextMap : std::false_type {};
template <class T>
struct IsTextMap<std::map<std::string, T>> : std::true_type {};
}  // namespace detail

class Writer {
 public:
  template <class T>
  void field(std::string_view name, T& value) {
    map_.emplace_back(std::string(name), to_value(value));
  }
  template <class T>
  void optional_field(std::string_view name, T& value) {
    field(name, value);
  }
  [[nodiscard]] Value take() { return Value(std::move(map_)); }

 private:
  Value::Map map_;
};

class Reader {
 public:
  explicit Reader(const Value& value) : value_(value) {}

  template <class T>
  void field(std::string_view name, T& target) {
    read(name, target, true);
  }
  template <class T>
  void optional_field(std::string_view name, T& target) {
    read(name, target, false);
  }
  [[nodiscard]] const std::optional<Error>& error() const { return error_; }

 private:
  template <class T>
  void read(std::string_view name, T& target, bool required) {
    if (error_) return;
    const Value* entry = value_.find(name);
    if (entry == nullptr) {
      if (required) error_ = Error{Code::kInvalid, fmt::format("field '{}' is missing", name)};
      return;
    }
    auto parsed = from_value<T>(*entry);
    if (parsed) {
      target = *std::move(parsed);
    } else {
      error_ = parsed.error().within(fmt::format("field '{}'", name));
    }
  }

  const Value& value_;
  std::optional<Error> error_;
};

template <class T>
Value to_value(const T& object) {
  if constexpr (std::is_same_v<T, Value>) {
    return object;
  } else if constexpr (detail::IsOptional<T>::value) {
    return object ? to_value(*object) : Value();
  } else if constexpr (detail::IsVector<T>::value) {
    Value::Array array;
    array.reserve(object.size());
    for (const auto& item : object) array.push_back(to_value(item));
    return Value(std::move(array));
  } else if constexpr (detail::IsTextMap<T>::value) {
    Value::Map map;
    for (const auto& [key, item] : object) map.emplace_back(key, to_value(item));
    return Value(std::move(map));
  } else if constexpr (NamedEnum<T>) {
    return Value(name_of(object));
  } else if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, std::string> || std::is_same_v<T, Value::Bytes>) {
    return Value(object);
  } else if constexpr (std::is_floating_point_v<T>) {
    return Value(static_cast<double>(object));
  } else if constexpr (std::is_unsigned_v<T>) {
    return Value(static_cast<std::uint64_t>(object));
  } else if constexpr (std::is_integral_v<T>) {
    return Value(static_cast<std::int64_t>(object));
  } else {
    static_assert(Described<T>, "give the struct a describe() or the enum a names_of()");
    Writer writer;
    const_cast<T&>(object).describe(writer);  // NOLINT(cppcoreguidelines-pro-type-const-cast): describe only reads here
    return writer.take();
  }
}

template <class T>
Result<T> from_value(const Value& value) {
  const auto wrong_kind = [&](std::string_view wanted) {
    return fail(Code::kInvalid, "expected {}, found {}", wanted, value.kind());
  };
  if constexpr (std::is_same_v<T, Value>) {
    return value;
  } else if constexpr (detail::IsOptional<T>::value) {
    if (value.is_nil()) return T{};
    auto inner = from_value<typename T::value_type>(value);
    if (!inner) return tl::unexpected(std::move(inner).error());
    return T{*std::move(inner)};
  } else if constexpr (detail::IsVector<T>::value) {
    const auto* array = value.as<Value::Array>();
    if (array == nullptr) return wrong_kind("an array");
    T items;
    items.reserve(array->size());
    for (const Value& entry : *array) {
      auto item = from_value<typename T::value_type>(entry);
      if (!item) return tl::unexpected(item.error().within(fmt::format("item {}", items.size())));
      items.push_back(*std::move(item));
    }
    return items;
  } else if constexpr (detail::IsTextMap<T>::value) {
    const auto* map = value.as<Value::Map>();
    if (map == nullptr) return wrong_kind("a map");
    T items;
    for (const auto& [key, entry] : *map) {
      auto item = from_value<typename T::mapped_type>(entry);
      if (!item) return tl::unexpected(item.error().within(fmt::format("entry '{}'", key)));
      items.emplace(key, *std::move(item));
    }
    return items;
  } else if constexpr (NamedEnum<T>) {
    const auto* text = value.as<std::string>();
    if (text == nullptr) return wrong_kind("text");
    const auto parsed = parse_name<T>(*text);
    if (!parsed) return fail(Code::kInvalid, "unknown name '{}', known: {}", *text, all_names<T>());
    return *parsed;
  } else if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, std::string> || std::is_same_v<T, Value::Bytes>) {
    const auto* exact = value.as<T>();
    if (exact == nullptr) {
      return wrong_kind(std::is_same_v<T, bool> ? "a boolean" : std::is_same_v<T, std::string> ? "text" : "bytes");
    }
    return *exact;
  } else if constexpr (std::is_floating_point_v<T>) {
    if (const auto* real = value.as<double>()) return static_cast<T>(*real);
    if (const auto* whole = value.as<std::int64_t>()) return static_cast<T>(*whole);
    if (const auto* natural = value.as<std::uint64_t>()) return static_cast<T>(*natural);
    return wrong_kind("a number");
  } else if constexpr (std::is_integral_v<T>) {
    if (const auto* whole = value.as<std::int64_t>()) {
      if (std::in_range<T>(*whole)) return static_cast<T>(*whole);
    } else if (const auto* natural = value.as<std::uint64_t>()) {
      if (std::in_range<T>(*natural)) return static_cast<T>(*natural);
    } else {
      return wrong_kind("an integer");
    }
    return fail(Code::kInvalid, "integer out of range");
  } else {
    static_assert(Described<T>, "give the struct a describe() or the enum a names_of()");
    if (value.as<Value::Map>() == nullptr) return wrong_kind("a map");
    T object{};
    Reader reader(value);
    object.describe(reader);
    if (reader.error()) return tl::unexpected(*reader.error());
    return object;
  }
}

/// MessagePack bytes of a described struct.
template <class T>
[[nodiscard]] std::string pack(const T& object) {
  return encode(to_value(object));
}

/// A described struct from untrusted MessagePack bytes. kInvalid names the field that is wrong.
template <class T>
[[nodiscard]] Result<T> unpack(std::string_view bytes, const Limits& limits = {}) {
  auto value = decode(bytes, limits);
  if (!value) return tl::unexpected(std::move(value).error());
  return from_value<T>(*value);
}

}  // namespace autokernel::protocol
