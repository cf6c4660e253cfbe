#include "coordinator/store/transition.hpp"

#include <charconv>

namespace autokernel::store {

std::optional<LeaseToken> parse_token(std::string_view text) {
  LeaseToken token;
  const char* const end = text.data() + text.size();
  const auto epoch = std::from_chars(text.data(), end, token.epoch.value);
  if (epoch.ec != std::errc{} || epoch.ptr == end || *epoch.ptr != '-') return std::nullopt;
  const auto number = std::from_chars(epoch.ptr + 1, end, token.number);
  if (number.ec != std::errc{} || number.ptr != end) return std::nullopt;
  return token;
}

}  // namespace autokernel::store
