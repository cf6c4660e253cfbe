#include "coordinator/store/redis_connection.hpp"

#include <hiredis/hiredis.h>

#include <array>
#include <utility>

namespace autokernel::store {
namespace {

timeval to_timeval(std::chrono::milliseconds duration) {
  return {static_cast<time_t>(duration.count() / 1000), static_cast<suseconds_t>(duration.count() % 1000 * 1000)};
}

std::string_view view_of(const redisReply& reply) { return {reply.str, reply.len}; }

}  // namespace

void ReplyDeleter::operator()(redisReply* reply) const { freeReplyObject(reply); }
void RedisConnection::ContextDeleter::operator()(redisContext* context) const { redisFree(context); }

bool is_nil(const redisReply& reply) { return reply.type == REDIS_REPLY_NIL; }

Result<std::string> text_of(const redisReply& reply) {
  if (reply.type == REDIS_REPLY_STRING || reply.type == REDIS_REPLY_STATUS) return std::string(view_of(reply));
  return fail(Code::kInternal, "Redis answered with type {} where text was due", reply.type);
}

Result<std::int64_t> integer_of(const redisReply& reply) {
  if (reply.type == REDIS_REPLY_INTEGER) return static_cast<std::int64_t>(reply.integer);
  return fail(Code::kInternal, "Redis answered with type {} where an integer was due", reply.type);
}

Result<std::span<redisReply* const>> items_of(const redisReply& reply) {
  if (reply.type != REDIS_REPLY_ARRAY) {
    return fail(Code::kInternal, "Redis answered with type {} where an array was due", reply.type);
  }
  return std::span<redisReply* const>(reply.element, reply.elements);
}

Result<std::vector<std::string>> texts_of(const redisReply& reply) {
  AUTOKERNEL_TRY_ASSIGN(const auto items, items_of(reply));
  std::vector<std::string> texts;
  texts.reserve(items.size());
  for (const redisReply* item : items) {
    if (is_nil(*item)) {
      texts.emplace_back();
      continue;
    }
    AUTOKERNEL_TRY_ASSIGN(texts.emplace_back(), text_of(*item));
  }
  return texts;
}

Error error_of(std::string_view message) {
  struct Rule {
    std::string_view prefix;
    Code code;
  };
  constexpr std::array kRules{Rule{"OOM ", Code::kExhausted},          Rule{"LOADING ", Code::kUnavailable},
                              Rule{"BUSY ", Code::kUnavailable},       Rule{"READONLY ", Code::kUnavailable},
                              Rule{"MISCONF ", Code::kUnavailable},    Rule{"MASTERDOWN ", Code::kUnavailable},
                              Rule{"UNKILLABLE ", Code::kUnavailable}, Rule{"NOSCRIPT ", Code::kNotFound},
                              Rule{"NOAUTH ", Code::kInvalid},         Rule{"NOPERM ", Code::kInvalid},
                              Rule{"WRONGPASS ", Code::kInvalid},      Rule{"WRONGTYPE ", Code::kInvalid}};
  for (const Rule& rule : kRules) {
    if (message.starts_with(rule.prefix)) return {rule.code, fmt::format("Redis: {}", message)};
  }
  return {Code::kInternal, fmt::format("Redis: {}", message)};
}

RedisConnection::RedisConnection(RedisAddress address, std::chrono::milliseconds timeout)
    : address_(std::move(address)), timeout_(timeout) {}

Result<void> RedisConnection::connect() {
  const timeval timeout = to_timeval(timeout_);
  context_.reset(address_.path.empty() ? redisConnectWithTimeout(address_.host.c_str(), address_.port, timeout)
                                       : redisConnectUnixWithTimeout(address_.path.c_str(), timeout));
  if (context_ == nullptr || context_->err != 0) return tl::unexpected(broken());
  if (redisSetTimeout(context_.get(), timeout) != REDIS_OK) return tl::unexpected(broken());
  return {};
}

Error RedisConnection::broken() {
  const std::string why = context_ == nullptr ? "not connected" : std::string(context_->errstr);
  drop();
  return {Code::kUnavailable, fmt::format("Redis at {}: {}", to_string(address_), why)};
}

std::vector<Result<Reply>> RedisConnection::pipeline(const std::vector<Command>& commands) {
  std::vector<Result<Reply>> replies;
  replies.reserve(commands.size());
  const auto fail_the_rest = [&] {
    const Error error = broken();
    while (replies.size() < commands.size()) replies.emplace_back(tl::unexpected(error));
  };
  if (!connected()) {
    fail_the_rest();
    return replies;
  }
  for (const Command& command : commands) {
    std::vector<const char*> parts;
    std::vector<std::size_t> sizes;
    for (const std::string& part : command) {
      parts.push_back(part.data());
      sizes.push_back(part.size());
    }
    if (redisAppendCommandArgv(context_.get(), static_cast<int>(parts.size()), parts.data(), sizes.data()) !=
        REDIS_OK) {
      fail_the_rest();
      return replies;
    }
  }
  while (replies.size() < commands.size()) {
    void* raw = nullptr;
    if (redisGetReply(context_.get(), &raw) != REDIS_OK || raw == nullptr) {
      fail_the_rest();
      return replies;
    }
    Reply reply(static_cast<redisReply*>(raw));
    if (reply->type == REDIS_REPLY_ERROR) {
      replies.emplace_back(tl::unexpected(error_of(view_of(*reply))));
    } else {
      replies.emplace_back(std::move(reply));
    }
  }
  return replies;
}

Result<Reply> RedisConnection::command(Command command) {
  auto replies = pipeline({std::move(command)});
  return std::move(replies.front());
}

}  // namespace autokernel::store
