#include "client/node/redis_ping.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <string_view>

#include "common/system/fd.hpp"

namespace autokernel::client {

bool redis_answers(const std::string& socket_path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (socket_path.size() >= sizeof address.sun_path) return false;
  std::memcpy(address.sun_path, socket_path.c_str(), socket_path.size() + 1);
  const system::UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket.valid()) return false;
  if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    return false;                                 // NOLINT
  constexpr std::string_view kPing = "PING\r\n";  // an inline command: no client library for one word
  if (::send(socket.get(), kPing.data(), kPing.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(kPing.size()))
    return false;
  pollfd wait{socket.get(), POLLIN, 0};
  if (::poll(&wait, 1, 200) <= 0) return false;
  std::array<char, 64> answer{};
  const ssize_t got = ::read(socket.get(), answer.data(), answer.size());
  return got > 0 && std::string_view(answer.data(), static_cast<std::size_t>(got)).rfind("+PONG", 0) == 0;
}

}  // namespace autokernel::client
