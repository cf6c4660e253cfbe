#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/result/result.hpp"

namespace autokernel::store {

/// Where Redis listens: a unix socket, or a port of this machine.
struct RedisAddress {
  std::string path;  ///< unix socket; empty: host and port
  std::string host;
  std::uint16_t port = 0;
};

/// "unix:/run/redis.sock", "127.0.0.1:6379", "localhost:6379". kInvalid for anything else, and for another machine:
/// this build speaks no TLS, and the queue never travels in the clear.
[[nodiscard]] Result<RedisAddress> parse_redis_address(std::string_view text);

[[nodiscard]] std::string to_string(const RedisAddress& address);

}  // namespace autokernel::store
