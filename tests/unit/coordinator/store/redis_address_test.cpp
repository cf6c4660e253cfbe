#include "coordinator/store/redis_address.hpp"

#include <gtest/gtest.h>

namespace autokernel::store {
namespace {

TEST(RedisAddress, TakesAUnixSocket) {
  const auto address = parse_redis_address("unix:/run/redis.sock");
  ASSERT_TRUE(address);
  EXPECT_EQ(address->path, "/run/redis.sock");
  EXPECT_EQ(to_string(*address), "unix:/run/redis.sock");
}

TEST(RedisAddress, TakesAPortOfThisMachine) {
  const auto address = parse_redis_address("127.0.0.1:6379");
  ASSERT_TRUE(address);
  EXPECT_EQ(to_string(*address), "127.0.0.1:6379");
  EXPECT_TRUE(parse_redis_address("localhost:1"));
}

TEST(RedisAddress, RefusesAnythingElse) {
  for (const char* text : {"", "unix:", "unix:redis.sock", "127.0.0.1", "127.0.0.1:", "127.0.0.1:0", "127.0.0.1:99999",
                           "127.0.0.1:12x", "example.org:6379", "10.0.0.1:6379"}) {
    const auto address = parse_redis_address(text);
    ASSERT_FALSE(address) << text;
    EXPECT_EQ(address.error().code, Code::kInvalid) << text;
  }
}

TEST(RedisAddress, RefusesAPathThatNoSocketCanHave) {
  EXPECT_FALSE(parse_redis_address("unix:/" + std::string(107, 'x')));
  EXPECT_TRUE(parse_redis_address("unix:/" + std::string(106, 'x')));
}

}  // namespace
}  // namespace autokernel::store
