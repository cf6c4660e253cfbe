#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/result/result.hpp"
#include "coordinator/store/redis_address.hpp"

struct redisContext;
struct redisReply;

namespace autokernel::store {

struct ReplyDeleter {
  void operator()(redisReply* reply) const;
};
using Reply = std::unique_ptr<redisReply, ReplyDeleter>;

/// kInternal when the reply is of another kind.
[[nodiscard]] Result<std::string> text_of(const redisReply& reply);
[[nodiscard]] Result<std::int64_t> integer_of(const redisReply& reply);
[[nodiscard]] Result<std::span<redisReply* const>> items_of(const redisReply& reply);
[[nodiscard]] bool is_nil(const redisReply& reply);
/// Items that must all be text or nil (which reads as empty).
[[nodiscard]] Result<std::vector<std::string>> texts_of(const redisReply& reply);

/// What an error reply asks of the caller: "OOM …" is kExhausted, "LOADING …" kUnavailable, "NOPERM …" kInvalid.
[[nodiscard]] Error error_of(std::string_view message);

/// A connection that is dropped at the first error or timeout: after one, the late reply would answer the next command.
/// One thread; blocks at most `timeout` for each reply. The process ignores SIGPIPE, or a dead server would end it.
class RedisConnection {
 public:
  using Command = std::vector<std::string>;

  RedisConnection(RedisAddress address, std::chrono::milliseconds timeout);

  [[nodiscard]] bool connected() const { return context_ != nullptr; }

  /// kUnavailable: nobody listens there, or not in time.
  [[nodiscard]] Result<void> connect();
  void drop() { context_.reset(); }

  /// Sends all, then reads all, in one round trip. An error reply becomes that command's error; a broken connection is
  /// kUnavailable for it and for all behind it. Connect first.
  [[nodiscard]] std::vector<Result<Reply>> pipeline(const std::vector<Command>& commands);
  [[nodiscard]] Result<Reply> command(Command command);

 private:
  struct ContextDeleter {
    void operator()(redisContext* context) const;
  };
  [[nodiscard]] Error broken();

  RedisAddress address_;
  std::chrono::milliseconds timeout_;
  std::unique_ptr<redisContext, ContextDeleter> context_;
};

}  // namespace autokernel::store
