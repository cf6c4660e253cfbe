#include "coordinator/store/redis_address.hpp"

#include <charconv>

namespace autokernel::store {

Result<RedisAddress> parse_redis_address(std::string_view text) {
  constexpr std::string_view kUnix = "unix:";
  // sockaddr_un holds 108 bytes, the closing zero among them.
  constexpr std::size_t kLongestPath = 107;
  if (text.starts_with(kUnix)) {
    const std::string path(text.substr(kUnix.size()));
    if (path.empty() || path.front() != '/') {
      return fail(Code::kInvalid, "Redis address '{}': give an absolute path, as in unix:/run/redis.sock", text);
    }
    if (path.size() > kLongestPath) {
      return fail(Code::kInvalid, "Redis address '{}': a socket's path has at most {} bytes, use a shorter folder",
                  text, kLongestPath);
    }
    return RedisAddress{path, "", 0};
  }
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) {
    return fail(Code::kInvalid, "Redis address '{}': use unix:/path or 127.0.0.1:port", text);
  }
  const std::string_view host = text.substr(0, colon);
  const std::string_view digits = text.substr(colon + 1);
  std::uint16_t port = 0;
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (parsed.ec != std::errc{} || parsed.ptr != digits.data() + digits.size() || port == 0) {
    return fail(Code::kInvalid, "Redis address '{}': '{}' is no port", text, digits);
  }
  if (host != "127.0.0.1" && host != "localhost") {
    return fail(
        Code::kInvalid,
        "Redis address '{}': only unix:/path or 127.0.0.1:port; the queue does not cross the network in the clear",
        text);
  }
  return RedisAddress{"", "127.0.0.1", port};
}

std::string to_string(const RedisAddress& address) {
  return address.path.empty() ? fmt::format("{}:{}", address.host, address.port) : "unix:" + address.path;
}

}  // namespace autokernel::store
