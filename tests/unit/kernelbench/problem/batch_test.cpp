#include "kernelbench/problem/batch.hpp"

#include <gtest/gtest.h>

namespace autokernel::kernelbench {
namespace {

TEST(OverrideBatch, ReplacesTheLiteralAndKeepsBlanksAndComment) {
  const auto result = override_batch("x = 1\nbatch_size   = 112  # scaled up\ny = batch_size\n", 4);
  EXPECT_TRUE(result.replaced);
  EXPECT_EQ(result.text, "x = 1\nbatch_size   = 4  # scaled up\ny = batch_size\n");
}

TEST(OverrideBatch, ReplacesAProductOfLiteralsAsAWhole) {
  EXPECT_EQ(override_batch("batch_size = 8192 * 2\n", 8).text, "batch_size = 8\n");
  EXPECT_EQ(override_batch("batch_size = 1_024\r\n", 8).text, "batch_size = 8\r\n");
}

TEST(OverrideBatch, ReplacesEveryModuleLevelLineSinceTheLastOneCounts) {
  EXPECT_EQ(override_batch("batch_size = 1\nbatch_size = 2", 9).text, "batch_size = 9\nbatch_size = 9");
}

TEST(OverrideBatch, LeavesEverythingElseAlone) {
  for (const char* text :
       {"  batch_size = 3\n", "f(\nbatch_size=3\n)\n", "# batch_size = 3\n", "'''\nbatch_size = 3\n'''\n",
        "batch_size = n\n", "batch_size = 3 + n\n", "batch_size == 3\n", "batch_size2 = 3\n", "batch_size = 3.5\n",
        "batch_size = _3\n", "batch_size = 3 *\n", "batch_size =", "batch_size", ""}) {
    const auto result = override_batch(text, 7);
    EXPECT_FALSE(result.replaced) << text;
    EXPECT_EQ(result.text, text);
  }
}

}  // namespace
}  // namespace autokernel::kernelbench
