#include "common/result/result.hpp"

#include <gtest/gtest.h>

namespace autokernel {
namespace {

TEST(Result, PutsTheCallersViewInFrontOfAMessage) {
  const Error error{Code::kNotFound, "no such file"};
  EXPECT_EQ(error.within("reading run.toml").message, "reading run.toml: no such file");
  EXPECT_EQ(error.within("reading run.toml").code, Code::kNotFound);
}

}  // namespace
}  // namespace autokernel
