#include "common/system/channel.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <limits>

namespace autokernel::system {
namespace {

constexpr std::size_t kHeaderBytes = 4;
constexpr std::size_t kMaxFds = 8;
using SteadyTime = std::chrono::steady_clock::time_point;

/// A timeout of "for ever" must not overflow the clock.
SteadyTime deadline_after(std::chrono::milliseconds timeout) {
  return std::chrono::steady_clock::now() + std::min<std::chrono::milliseconds>(timeout, std::chrono::hours(24 * 365));
}

/// Milliseconds until the deadline for poll(2), rounded up, never negative.
int poll_budget(SteadyTime deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now()).count();
  return static_cast<int>(std::clamp<long long>(left, 0, 1'000'000'000));
}

Result<bool> wait_for(int fd, short events, SteadyTime deadline) {
  for (;;) {
    pollfd entry{fd, events, 0};
    const int ready = ::poll(&entry, 1, poll_budget(deadline));
    if (ready > 0) return true;
    if (ready == 0) return false;
    if (errno != EINTR) return fail(Code::kInternal, "poll: {}", std::strerror(errno));
  }
}

}  // namespace

Result<std::pair<Channel, Channel>> Channel::make_pair() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return fail(Code::kExhausted, "socketpair: {}", std::strerror(errno));
  }
  return std::pair(Channel(UniqueFd(ends[0])), Channel(UniqueFd(ends[1])));
}

Result<void> Channel::send(std::string_view bytes, const std::vector<int>& fds, std::chrono::milliseconds timeout) {
  AUTOKERNEL_CHECK(fds.size() <= kMaxFds && bytes.size() <= std::numeric_limits<std::uint32_t>::max());
  const auto size = static_cast<std::uint32_t>(bytes.size());
  std::string message(kHeaderBytes, '\0');
  std::memcpy(message.data(), &size, kHeaderBytes);
  message.append(bytes);

  const auto deadline = deadline_after(timeout);
  std::size_t sent = 0;
  while (sent < message.size()) {
    iovec part{message.data() + sent, message.size() - sent};
    msghdr header{};
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    alignas(cmsghdr) std::array<char, CMSG_SPACE(kMaxFds * sizeof(int))> control{};
    if (sent == 0 && !fds.empty()) {  // descriptors travel with the first byte
      header.msg_control = control.data();
      header.msg_controllen = CMSG_SPACE(fds.size() * sizeof(int));
      cmsghdr* rights = CMSG_FIRSTHDR(&header);
      rights->cmsg_level = SOL_SOCKET;
      rights->cmsg_type = SCM_RIGHTS;
      rights->cmsg_len = CMSG_LEN(fds.size() * sizeof(int));
      std::memcpy(CMSG_DATA(rights), fds.data(), fds.size() * sizeof(int));
    }
    const ssize_t written = ::sendmsg(socket_.get(), &header, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (written >= 0) {
      sent += static_cast<std::size_t>(written);
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      AUTOKERNEL_TRY_ASSIGN(const bool writable, wait_for(socket_.get(), POLLOUT, deadline));
      if (!writable) return fail(Code::kUnavailable, "the peer process does not read");
    } else if (errno != EINTR) {
      return fail(Code::kUnavailable, "the peer process is gone: {}", std::strerror(errno));
    }
  }
  return {};
}

Result<std::optional<Frame>> Channel::receive(std::chrono::milliseconds timeout, std::size_t max_bytes) {
  const auto deadline = deadline_after(timeout);
  for (;;) {
    if (buffer_.size() >= kHeaderBytes) {
      std::uint32_t size = 0;
      std::memcpy(&size, buffer_.data(), kHeaderBytes);
      if (size > max_bytes) return fail(Code::kInvalid, "message refused: {} bytes, the limit is {}", size, max_bytes);
      if (buffer_.size() >= kHeaderBytes + size) {
        Frame frame{buffer_.substr(kHeaderBytes, size), std::move(pending_fds_)};
        pending_fds_.clear();
        buffer_.erase(0, kHeaderBytes + size);
        return frame;
      }
    }
    AUTOKERNEL_TRY_ASSIGN(const bool readable, wait_for(socket_.get(), POLLIN, deadline));
    if (!readable) return std::nullopt;

    std::array<char, 65536> chunk{};
    // Never read past the current message: the next one's descriptors would be taken for this one's.
    std::size_t wanted = kHeaderBytes - std::min(buffer_.size(), kHeaderBytes);
    if (wanted == 0) {
      std::uint32_t size = 0;
      std::memcpy(&size, buffer_.data(), kHeaderBytes);
      wanted = std::min(chunk.size(), kHeaderBytes + size - buffer_.size());
    }
    iovec part{chunk.data(), wanted};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(kMaxFds * sizeof(int))> control{};
    msghdr header{};
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    header.msg_control = control.data();
    header.msg_controllen = control.size();
    const ssize_t got = ::recvmsg(socket_.get(), &header, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    if (got == 0) return fail(Code::kUnavailable, "the peer process closed its end");
    if (got < 0) {
      if (errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK) continue;
      return fail(Code::kUnavailable, "the peer process is gone: {}", std::strerror(errno));
    }
    for (cmsghdr* rights = CMSG_FIRSTHDR(&header); rights != nullptr; rights = CMSG_NXTHDR(&header, rights)) {
      if (rights->cmsg_level != SOL_SOCKET || rights->cmsg_type != SCM_RIGHTS) continue;
      const std::size_t count = (rights->cmsg_len - CMSG_LEN(0)) / sizeof(int);
      std::array<int, kMaxFds> fds{};
      std::memcpy(fds.data(), CMSG_DATA(rights), std::min(count, kMaxFds) * sizeof(int));
      for (std::size_t i = 0; i < std::min(count, kMaxFds); ++i) {
        UniqueFd received(fds.at(i));
        // A peer that adds some to every byte would use up all that this process may open: the surplus is closed.
        if (pending_fds_.size() < kMaxFds) pending_fds_.push_back(std::move(received));
      }
    }
    buffer_.append(chunk.data(), static_cast<std::size_t>(got));
  }
}

}  // namespace autokernel::system
