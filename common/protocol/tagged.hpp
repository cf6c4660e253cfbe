#pragma once

#include <string_view>
#include <variant>

#include "common/protocol/describe.hpp"

/// A family of messages is a std::variant of described structs, each with `static constexpr std::string_view kType`.
/// On the wire it is one map: the struct's fields and "type".
namespace autokernel::protocol {

namespace detail {
template <class Family, std::size_t Index = 0>
Result<Family> parse_tagged(std::string_view type, const Value& value) {
  if constexpr (Index == std::variant_size_v<Family>) {
    return fail(Code::kInvalid, "unknown message type '{}'", type);
  } else {
    using Message = std::variant_alternative_t<Index, Family>;
    if (Message::kType != type) return parse_tagged<Family, Index + 1>(type, value);
    auto message = from_value<Message>(value);
    if (!message) return tl::unexpected(message.error().within(fmt::format("message '{}'", type)));
    return Family(*std::move(message));
  }
}
}  // namespace detail

template <class Family>
[[nodiscard]] std::string pack_message(const Family& family) {
  return std::visit(
      [](const auto& message) {
        Value value = to_value(message);
        auto* map = value.template as<Value::Map>();
        map->insert(map->begin(), {"type", Value(std::decay_t<decltype(message)>::kType)});
        return encode(value);
      },
      family);
}

/// kInvalid: not MessagePack, over a limit, an unknown type or a wrong field; the message says which.
template <class Family>
[[nodiscard]] Result<Family> unpack_message(std::string_view bytes, const Limits& limits = {}) {
  auto value = decode(bytes, limits);
  if (!value) return tl::unexpected(std::move(value).error());
  const Value* type = value->find("type");
  if (type == nullptr || type->as<std::string>() == nullptr) return fail(Code::kInvalid, "message has no type");
  return detail::parse_tagged<Family>(*type->as<std::string>(), *value);
}

template <class Family>
[[nodiscard]] std::string_view type_of(const Family& family) {
  return std::visit([](const auto& message) { return std::decay_t<decltype(message)>::kType; }, family);
}

/// std::visit with one lambda per message.
template <class... Handlers>
struct Overloaded : Handlers... {
  using Handlers::operator()...;
};
template <class... Handlers>
Overloaded(Handlers...) -> Overloaded<Handlers...>;

}  // namespace autokernel::protocol
