#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/result/result.hpp"

/// Whole messages over ZeroMQ. The only place that includes zmq. Every message travels as two frames:
/// protocol::kVersionFrame and the body. Sockets belong to the thread that uses them.
namespace autokernel::transport {

/// Bodies over this are refused by the receiving socket, which then drops the peer's connection.
inline constexpr std::int64_t kMaxMessageBytes = std::int64_t{16} << 20;

/// Owns the I/O threads; outlives its sockets. One per process.
class Context {
 public:
  Context();
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  struct State;  // zmq's own, seen by transport.cpp only
  [[nodiscard]] State& state() { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

/// What a socket received: the body, or why it is no message of ours.
struct Received {
  std::string peer;  ///< routing id; empty on a Dealer
  std::string body;
  bool version_matches = true;  ///< false: the peer speaks another version; `body` is empty
};

class Socket {
 public:
  virtual ~Socket();
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  /// nullopt when nothing is there; never blocks.
  [[nodiscard]] Result<std::optional<Received>> receive();
  [[nodiscard]] void* native() const;

 protected:
  struct State;
  explicit Socket(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// The coordinator's side. Peers are named by a routing id that this socket assigns.
class Router final : public Socket {
 public:
  /// kInvalid: the endpoint is malformed. kUnavailable: it is taken or not permitted. "tcp://127.0.0.1:0" picks a port.
  [[nodiscard]] static Result<std::unique_ptr<Router>> bind(Context& context, const std::string& endpoint);

  [[nodiscard]] const std::string& endpoint() const { return endpoint_; }  ///< as bound, the real port in it

  /// kUnavailable: the peer is gone. kExhausted: its queue is full. Never blocks.
  [[nodiscard]] Result<void> send(const std::string& peer, std::string_view body);

 private:
  Router(std::unique_ptr<State> state, std::string endpoint);
  std::string endpoint_;
};

/// A worker's or client's side. A fresh one for each session: an old socket would hoard messages for a dead
/// coordinator.
class Dealer final : public Socket {
 public:
  /// Returns at once; the connection is made, and made again, in the background.
  [[nodiscard]] static Result<std::unique_ptr<Dealer>> connect(Context& context, const std::string& endpoint);

  /// kExhausted: the coordinator does not take more now. Never blocks.
  [[nodiscard]] Result<void> send(std::string_view body);

 private:
  explicit Dealer(std::unique_ptr<State> state);
};

/// Waits until a socket has something to receive, a descriptor is readable, or the timeout passes.
class Poll {
 public:
  void add(const Socket& socket);
  void add_fd(int fd);
  void clear();
  /// Indices, in the order of adding, of what is ready; empty at the timeout or on a signal.
  [[nodiscard]] Result<std::vector<std::size_t>> wait(std::chrono::milliseconds timeout);

 private:
  struct Entry {
    void* socket;
    int fd;
  };
  std::vector<Entry> entries_;
};

/// Lets another thread, or a signal handler, end a Poll::wait early.
class Waker {
 public:
  Waker();
  ~Waker();
  Waker(const Waker&) = delete;
  Waker& operator=(const Waker&) = delete;
  void wake() const noexcept;   ///< async-signal-safe
  void drain() const noexcept;  ///< call it when wait() reports fd()
  [[nodiscard]] int fd() const { return fd_; }

 private:
  int fd_;
};

}  // namespace autokernel::transport
