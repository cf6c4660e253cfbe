#include "coordinator/store/redis_server.hpp"

#include <hiredis/hiredis.h>

#include <charconv>

namespace autokernel::store {
namespace {

Result<void> check_version(RedisConnection& connection) {
  AUTOKERNEL_TRY_ASSIGN(const Reply reply, connection.command({"INFO", "server"}));
  AUTOKERNEL_TRY_ASSIGN(const std::string info, text_of(*reply));
  constexpr std::string_view kField = "redis_version:";
  const std::size_t at = info.find(kField);
  int major = 0;
  if (at != std::string::npos) {
    const char* const digits = info.data() + at + kField.size();
    std::from_chars(digits, info.data() + info.size(), major);
  }
  constexpr int kOldest = 7;  // script flags: a full Redis must still take completions
  if (major < kOldest) return fail(Code::kInvalid, "Redis {} or newer is needed, this one is {}", kOldest, major);
  return {};
}

Result<void> check_setting(RedisConnection& connection, const std::string& name, std::string_view wanted) {
  AUTOKERNEL_TRY_ASSIGN(const Reply reply, connection.command({"CONFIG", "GET", name}));
  AUTOKERNEL_TRY_ASSIGN(const auto words, texts_of(*reply));
  const std::string found = words.size() == 2 ? words[1] : "unknown";
  if (found == wanted) return {};
  return fail(
      Code::kInvalid,
      "Redis has {} {}: a power cut would lose acknowledged verdicts. Start it with --{} {}, or set it in redis.conf",
      name, found, name, wanted);
}

}  // namespace

Result<void> check_server(RedisConnection& connection) {
  AUTOKERNEL_TRY(check_version(connection));
  AUTOKERNEL_TRY(check_setting(connection, "appendonly", "yes"));
  return check_setting(connection, "appendfsync", "always");
}

}  // namespace autokernel::store
