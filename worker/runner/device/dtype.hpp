#pragma once

#include <c10/core/ScalarType.h>

#include <optional>
#include <string_view>

#include "common/protocol/options.hpp"

/// torch's dtypes by the names that messages use ("float32", "int64", "bool").
namespace autokernel::runner {

[[nodiscard]] std::optional<at::ScalarType> dtype_from_name(std::string_view name);
/// Empty for a dtype that no message can name (quantized and other odd ones).
[[nodiscard]] std::string_view name_of_dtype(at::ScalarType type);
[[nodiscard]] at::ScalarType dtype_of(protocol::Precision precision);

}  // namespace autokernel::runner
