#pragma once

#include <string>

namespace autokernel::client {

/// True when the server behind this Unix socket answers PING, its data loaded. Waits a fifth of a second at most.
[[nodiscard]] bool redis_answers(const std::string& socket_path);

}  // namespace autokernel::client
