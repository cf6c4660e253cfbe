#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace autokernel {

/// SHA-256 over the parts, each preceded by its length, so that ("ab","c") and ("a","bc") differ. Lower-case hex.
[[nodiscard]] std::string digest_of(std::initializer_list<std::string_view> parts);
[[nodiscard]] std::string digest_of(std::string_view bytes);

/// 64 bits from the system's random source.
[[nodiscard]] unsigned long long random_bits();

}  // namespace autokernel
