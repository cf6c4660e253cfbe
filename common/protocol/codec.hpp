#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "common/protocol/value.hpp"
#include "common/result/result.hpp"

namespace autokernel::protocol {

/// Bounds on what a peer may send. Workers run foreign code, so their bytes are hostile until decoded.
struct Limits {
  std::size_t bytes = std::size_t{16} << 20U;
  std::size_t depth = 24;
  std::size_t elements = 2'000'000;  ///< array items and map entries of the whole message
};

/// MessagePack bytes of a value. Unsigned values up to INT64_MAX and signed ones encode alike.
[[nodiscard]] std::string encode(const Value& value);

/// Exactly one value. kInvalid: not MessagePack, trailing bytes, over a limit, or a map key that is not text.
[[nodiscard]] Result<Value> decode(std::string_view bytes, const Limits& limits = {});

}  // namespace autokernel::protocol
