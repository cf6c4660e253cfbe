#pragma once

#include <string_view>

/// Tests that need something of the machine start with one of these. A skip is loud: it names what is missing,
/// scripts/test lists it, and on a CI machine (CI=true) it is a failure.
namespace autokernel::test {

[[nodiscard]] bool has_program(std::string_view name);  ///< in PATH, executable
[[nodiscard]] bool is_ci();

}  // namespace autokernel::test

#define AUTOKERNEL_REQUIRE_PROGRAM(name, apt)                                                        \
  do {                                                                                               \
    if (!::autokernel::test::has_program(name)) {                                                    \
      if (::autokernel::test::is_ci()) FAIL() << (name) << " is missing: apt-get install " << (apt); \
      GTEST_SKIP() << (name) << " is missing: apt-get install " << (apt);                            \
    }                                                                                                \
  } while (false)

#define AUTOKERNEL_REQUIRE_REDIS_SERVER() AUTOKERNEL_REQUIRE_PROGRAM("redis-server", "redis-server")
