#include "common/id/digest.hpp"

#include <gtest/gtest.h>

namespace autokernel {
namespace {

TEST(Digest, IsSixtyFourHexDigits) {
  const std::string digest = digest_of("kernel");
  EXPECT_EQ(digest.size(), 64U);
  EXPECT_EQ(digest.find_first_not_of("0123456789abcdef"), std::string::npos);
}

TEST(Digest, DependsOnWhereThePartsEnd) {
  EXPECT_NE(digest_of({"ab", "c"}), digest_of({"a", "bc"}));
  EXPECT_NE(digest_of({"abc"}), digest_of({"abc", ""}));
}

TEST(Digest, IsTheSameForTheSameParts) {
  EXPECT_EQ(digest_of({"problem", "candidate"}), digest_of({"problem", "candidate"}));
  EXPECT_EQ(digest_of("one"), digest_of({"one"}));
}

TEST(Digest, KeepsZeroBytesApart) { EXPECT_NE(digest_of(std::string("a\0b", 3)), digest_of("a")); }

TEST(RandomBits, DifferFromCallToCall) { EXPECT_NE(random_bits(), random_bits()); }

}  // namespace
}  // namespace autokernel
