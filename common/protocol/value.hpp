#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace autokernel::protocol {

/// A decoded message: what MessagePack and JSON have in common, plus byte strings. Maps keep their order.
class Value {
 public:
  struct Bytes {
    std::string data;
    bool operator==(const Bytes&) const = default;
  };
  using Array = std::vector<Value>;
  using Map = std::vector<std::pair<std::string, Value>>;

  Value() = default;                                     // nil
  Value(bool value) : data_(value) {}                    // NOLINT(google-explicit-constructor): literals read as values
  Value(std::int64_t value) : data_(value) {}            // NOLINT(google-explicit-constructor)
  Value(std::uint64_t value) : data_(value) {}           // NOLINT(google-explicit-constructor)
  Value(int value) : data_(std::int64_t{value}) {}       // NOLINT(google-explicit-constructor)
  Value(double value) : data_(value) {}                  // NOLINT(google-explicit-constructor)
  Value(std::string value) : data_(std::move(value)) {}  // NOLINT(google-explicit-constructor)
  Value(std::string_view value) : data_(std::string(value)) {}  // NOLINT(google-explicit-constructor)
  Value(const char* value) : data_(std::string(value)) {}       // NOLINT(google-explicit-constructor)
  Value(Bytes value) : data_(std::move(value)) {}               // NOLINT(google-explicit-constructor)
  Value(Array value) : data_(std::move(value)) {}               // NOLINT(google-explicit-constructor)
  Value(Map value) : data_(std::move(value)) {}                 // NOLINT(google-explicit-constructor)

  [[nodiscard]] bool is_nil() const { return std::holds_alternative<std::monostate>(data_); }

  /// nullptr when the value is of another kind.
  template <class T>
  [[nodiscard]] const T* as() const {
    return std::get_if<T>(&data_);
  }
  template <class T>
  [[nodiscard]] T* as() {
    return std::get_if<T>(&data_);
  }

  /// The entry of a map; nullptr when this is no map or has no such key.
  [[nodiscard]] const Value* find(std::string_view key) const;

  /// "nil", "boolean", "integer", "number", "text", "bytes", "array" or "map", for messages.
  [[nodiscard]] std::string_view kind() const;

  bool operator==(const Value&) const = default;

 private:
  std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string, Bytes, Array, Map> data_;
};

}  // namespace autokernel::protocol
