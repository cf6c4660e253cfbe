#pragma once

#include "coordinator/store/redis_connection.hpp"

namespace autokernel::store {

/// That the server behind a fresh connection keeps what it acknowledges: Redis 7, appendonly yes, appendfsync always.
/// kInvalid: it does not, and the message says which setting to change. kUnavailable: it is still loading, or gone.
[[nodiscard]] Result<void> check_server(RedisConnection& connection);

}  // namespace autokernel::store
