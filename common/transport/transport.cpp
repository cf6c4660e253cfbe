#include "common/transport/transport.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <utility>
#include <zmq.hpp>

#include "common/protocol/messages.hpp"

namespace autokernel::transport {

struct Context::State {
  zmq::context_t context{1};
};

Context::Context() : state_(std::make_unique<State>()) {}
Context::~Context() = default;

struct Socket::State {
  zmq::socket_t socket;
  bool routed;
};

Socket::Socket(std::unique_ptr<State> state) : state_(std::move(state)) {}
Socket::~Socket() = default;
void* Socket::native() const { return state_->socket.handle(); }

namespace {

constexpr std::size_t kFrames = 3;  // routing id, version, body

/// "tcp://127.0.0.1:0", which stays as it is instead of turning into "tcp://[::ffff:127.0.0.1]:35469".
bool is_ipv4(const std::string& endpoint) {
  constexpr std::string_view kTcp = "tcp://";
  return endpoint.size() > kTcp.size() && endpoint.starts_with(kTcp) && std::isdigit(endpoint[kTcp.size()]) != 0;
}

zmq::socket_t open(Context& context, zmq::socket_type type, const std::string& endpoint) {
  zmq::socket_t socket(context.state().context, type);
  socket.set(zmq::sockopt::linger, 0);
  socket.set(zmq::sockopt::maxmsgsize, kMaxMessageBytes);
  socket.set(zmq::sockopt::ipv6, is_ipv4(endpoint) ? 0 : 1);
  return socket;
}

Result<void> send_frames(zmq::socket_t& socket, const std::string* peer, std::string_view body) {
  try {
    const auto flags = zmq::send_flags::dontwait;
    if (peer != nullptr && !socket.send(zmq::buffer(*peer), flags | zmq::send_flags::sndmore)) {
      return fail(Code::kExhausted, "the peer's queue is full");
    }
    if (!socket.send(zmq::buffer(protocol::kVersionFrame), flags | zmq::send_flags::sndmore) ||
        !socket.send(zmq::buffer(body), flags)) {
      return fail(Code::kExhausted, "the peer's queue is full");
    }
    return {};
  } catch (const zmq::error_t& error) {
    return fail(error.num() == EAGAIN ? Code::kExhausted : Code::kUnavailable, "cannot send: {}", error.what());
  }
}

Error endpoint_error(const zmq::error_t& error, const std::string& endpoint) {
  const bool malformed = error.num() == EINVAL || error.num() == EPROTONOSUPPORT;
  return Error{malformed ? Code::kInvalid : Code::kUnavailable,
               fmt::format("endpoint '{}': {}{}", endpoint, error.what(),
                           malformed ? "; give one like tcp://10.0.0.1:7002 or ipc:///run/autokernel/clients" : "")};
}

}  // namespace

Result<std::optional<Received>> Socket::receive() {
  try {
    std::vector<std::string> frames;
    for (;;) {
      zmq::message_t part;
      if (!state_->socket.recv(part, zmq::recv_flags::dontwait)) return std::nullopt;
      if (frames.size() <= kFrames) frames.push_back(part.to_string());  // more is no message of ours: not kept
      if (!part.more()) break;
    }
    Received received;
    std::size_t next = 0;
    if (state_->routed) received.peer = frames.at(next++);
    if (frames.size() != next + 2 || frames[next] != protocol::kVersionFrame) {
      received.version_matches = false;
    } else {
      received.body = std::move(frames[next + 1]);
    }
    return received;
  } catch (const zmq::error_t& error) {
    return fail(Code::kUnavailable, "cannot receive: {}", error.what());
  }
}

Router::Router(std::unique_ptr<State> state, std::string endpoint)
    : Socket(std::move(state)), endpoint_(std::move(endpoint)) {}

Result<std::unique_ptr<Router>> Router::bind(Context& context, const std::string& endpoint) {
  try {
    zmq::socket_t socket = open(context, zmq::socket_type::router, endpoint);
    socket.set(zmq::sockopt::router_mandatory, 1);
    socket.bind(endpoint);
    std::string bound = socket.get(zmq::sockopt::last_endpoint);
    return std::unique_ptr<Router>(
        new Router(std::make_unique<State>(State{std::move(socket), true}), std::move(bound)));
  } catch (const zmq::error_t& error) {
    return tl::unexpected(endpoint_error(error, endpoint));
  }
}

Result<void> Router::send(const std::string& peer, std::string_view body) {
  return send_frames(state_->socket, &peer, body);
}

Dealer::Dealer(std::unique_ptr<State> state) : Socket(std::move(state)) {}

Result<std::unique_ptr<Dealer>> Dealer::connect(Context& context, const std::string& endpoint) {
  try {
    zmq::socket_t socket = open(context, zmq::socket_type::dealer, endpoint);
    socket.connect(endpoint);
    return std::unique_ptr<Dealer>(new Dealer(std::make_unique<State>(State{std::move(socket), false})));
  } catch (const zmq::error_t& error) {
    return tl::unexpected(endpoint_error(error, endpoint));
  }
}

Result<void> Dealer::send(std::string_view body) { return send_frames(state_->socket, nullptr, body); }

void Poll::add(const Socket& socket) { entries_.push_back(Entry{socket.native(), -1}); }
void Poll::add_fd(int fd) { entries_.push_back(Entry{nullptr, fd}); }
void Poll::clear() { entries_.clear(); }

Result<std::vector<std::size_t>> Poll::wait(std::chrono::milliseconds timeout) {
  std::vector<zmq::pollitem_t> items;
  items.reserve(entries_.size());
  for (const Entry& entry : entries_) items.push_back({entry.socket, entry.fd, ZMQ_POLLIN, 0});
  std::vector<std::size_t> ready;
  try {
    zmq::poll(items, std::max(timeout, std::chrono::milliseconds(0)));
  } catch (const zmq::error_t& error) {
    if (error.num() == EINTR) return ready;
    return fail(Code::kInternal, "poll: {}", error.what());
  }
  for (std::size_t i = 0; i < items.size(); ++i) {
    // A descriptor whose other end hung up shows only an error: its owner must hear of it, or the loop would spin.
    if ((items[i].revents & (ZMQ_POLLIN | ZMQ_POLLERR)) != 0) ready.push_back(i);
  }
  return ready;
}

Waker::Waker() : fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) { AUTOKERNEL_CHECK(fd_ >= 0); }
Waker::~Waker() { ::close(fd_); }

void Waker::wake() const noexcept {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(fd_, &one, sizeof one);
}

void Waker::drain() const noexcept {
  std::uint64_t count = 0;
  [[maybe_unused]] const auto got = ::read(fd_, &count, sizeof count);
}

}  // namespace autokernel::transport
