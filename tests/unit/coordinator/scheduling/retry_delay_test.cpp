#include "coordinator/scheduling/retry_delay.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace autokernel::scheduling {
namespace {

using namespace std::chrono_literals;
constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

TEST(RetryDelay, DoublesWithEachCrash) {
  const std::uint64_t middle = std::uint64_t{1} << 63U;
  EXPECT_EQ(retry_delay(5s, 0, middle), 5s);
  EXPECT_EQ(retry_delay(5s, 1, middle), 10s);
  EXPECT_EQ(retry_delay(5s, 2, middle), 20s);
}

TEST(RetryDelay, SpreadsByAQuarter) {
  EXPECT_EQ(retry_delay(4s, 0, 0), 3s);
  EXPECT_LE(retry_delay(4s, 0, kMost), 5s);
  EXPECT_GT(retry_delay(4s, 0, kMost), 4900ms);
}

TEST(RetryDelay, EndsAtAnHour) { EXPECT_LE(retry_delay(5s, 1000, kMost), 75min); }

}  // namespace
}  // namespace autokernel::scheduling
