#include "coordinator/store/script.hpp"

#include <gtest/gtest.h>

#include "coordinator/store/redis_connection.hpp"
#include "coordinator/store/transition.hpp"

namespace autokernel::store {
namespace {

TEST(Script, StartsWithItsFlagsAndThePrelude) {
  const ScriptSet scripts;
  for (const std::string_view name : kScriptNames) {
    const std::string& text = scripts.text(name);
    EXPECT_TRUE(text.starts_with("#!lua")) << name;
    EXPECT_NE(text.find("local prefix = KEYS[1]"), std::string::npos) << name;
  }
}

TEST(Script, OnlySubmitAndLeaseWaitForMemory) {
  const ScriptSet scripts;
  for (const std::string_view name : kScriptNames) {
    const bool needs_room = name == "submit" || name == "lease";
    EXPECT_EQ(scripts.text(name).starts_with("#!lua flags=allow-oom\n"), !needs_room) << name;
  }
}

TEST(Script, ReplacesAPartEverywhere) {
  ScriptSet scripts;
  scripts.replace("redis.call('INCR', key('seq'))", "42");
  EXPECT_EQ(scripts.text("submit").find("redis.call('INCR'"), std::string::npos);
  EXPECT_NE(scripts.text("due").find("place(42"), std::string::npos);
}

TEST(Token, ReadsBackWhatItWrites) {
  const LeaseToken token{{7}, 42};
  EXPECT_EQ(parse_token(to_string(token)), token);
  for (const char* text : {"", "7", "7-", "-42", "7-42x", "a-b", "7--42"}) EXPECT_FALSE(parse_token(text)) << text;
}

TEST(RedisErrors, NameTheNextMove) {
  EXPECT_EQ(error_of("OOM command not allowed").code, Code::kExhausted);
  EXPECT_EQ(error_of("LOADING Redis is loading the dataset in memory").code, Code::kUnavailable);
  EXPECT_EQ(error_of("READONLY You can't write against a read only replica.").code, Code::kUnavailable);
  EXPECT_EQ(error_of("MISCONF Errors writing to the AOF file").code, Code::kUnavailable);
  EXPECT_EQ(error_of("NOPERM no permissions").code, Code::kInvalid);
  EXPECT_EQ(error_of("ERR something else").code, Code::kInternal);
}

}  // namespace
}  // namespace autokernel::store
