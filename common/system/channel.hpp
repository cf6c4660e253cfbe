#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/result/result.hpp"
#include "common/system/fd.hpp"

namespace autokernel::system {

/// One message of a Channel, with the descriptors that came along.
struct Frame {
  std::string bytes;
  std::vector<UniqueFd> fds;
};

/// Whole messages, and descriptors, over a Unix stream socket between two processes of one machine.
/// Each message is a 32-bit little-endian length and that many bytes. One thread per end.
class Channel {
 public:
  explicit Channel(UniqueFd socket) : socket_(std::move(socket)) {}

  /// Two connected ends, close-on-exec.
  [[nodiscard]] static Result<std::pair<Channel, Channel>> make_pair();

  /// Blocks until all is handed to the kernel. kUnavailable: the peer is gone (no SIGPIPE is raised).
  /// `timeout` bounds a peer that does not read.
  [[nodiscard]] Result<void> send(std::string_view bytes, const std::vector<int>& fds = {},
                                  std::chrono::milliseconds timeout = std::chrono::seconds(30));

  /// The next message; nullopt when `timeout` passes first (a partly read message is kept for the next call).
  /// kUnavailable: the peer closed or died. kInvalid: a message over `max_bytes`; the channel is then of no more use.
  [[nodiscard]] Result<std::optional<Frame>> receive(std::chrono::milliseconds timeout,
                                                     std::size_t max_bytes = std::size_t{16} << 20U);

  [[nodiscard]] int fd() const { return socket_.get(); }
  [[nodiscard]] bool valid() const { return socket_.valid(); }
  [[nodiscard]] UniqueFd release() { return std::move(socket_); }
  void close() { socket_.reset(); }

 private:
  UniqueFd socket_;
  std::string buffer_;
  std::vector<UniqueFd> pending_fds_;
};

}  // namespace autokernel::system
