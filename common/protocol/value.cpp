#include "common/protocol/value.hpp"

#include <array>

namespace autokernel::protocol {

const Value* Value::find(std::string_view key) const {
  const auto* map = as<Map>();
  if (map == nullptr) return nullptr;
  for (const auto& [name, value] : *map) {
    if (name == key) return &value;
  }
  return nullptr;
}

std::string_view Value::kind() const {
  static constexpr std::array<std::string_view, 9> kNames{"nil",  "boolean", "integer", "integer", "number",
                                                          "text", "bytes",   "array",   "map"};
  return kNames.at(data_.index());
}

}  // namespace autokernel::protocol
