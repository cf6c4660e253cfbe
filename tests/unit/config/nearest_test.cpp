#include "common/config/nearest.hpp"

#include <gtest/gtest.h>

namespace autokernel::config {
namespace {

TEST(Nearest, FindsTheNameWithTwoLettersSwapped) {
  EXPECT_EQ(nearest("--porblems", {"--candidates", "--problems", "--protocol"}), "--problems");
}

TEST(Nearest, TakesABeginningForTheWholeName) { EXPECT_EQ(nearest("cand", {"problems", "candidates"}), "candidates"); }

TEST(Nearest, SuggestsNothingForAWordThatIsFarFromAll) { EXPECT_EQ(nearest("zebra", {"sweep", "eval"}), std::nullopt); }

TEST(Nearest, PrefersTheFewestEdits) { EXPECT_EQ(nearest("fp61", {"fp32", "bf16", "fp16"}), "fp16"); }

TEST(Suggestion, IsEmptyWhenNothingIsNear) {
  EXPECT_EQ(suggestion("zebra", {"sweep"}), "");
  EXPECT_EQ(suggestion("swep", {"sweep", "score"}), "; did you mean sweep?");
}

}  // namespace
}  // namespace autokernel::config
