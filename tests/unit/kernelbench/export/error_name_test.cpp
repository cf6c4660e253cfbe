#include "kernelbench/export/error_name.hpp"

#include <gtest/gtest.h>

namespace autokernel::kernelbench {
namespace {

TEST(ErrorName, IsTheLastExceptionsClass) {
  EXPECT_EQ(error_name_in("ValueError: a\n\nDuring handling\ntorch.OutOfMemoryError: b\n  more", "X"),
            "OutOfMemoryError");
  EXPECT_EQ(error_name_in("KeyboardInterrupt", "X"), "KeyboardInterrupt");
}

TEST(ErrorName, FallsBackWhereThereIsNone) {
  EXPECT_EQ(error_name_in("kernel.cu(3): error: expected a ;", "CompilationError"), "CompilationError");
  EXPECT_EQ(error_name_in("An Error: with blanks", "X"), "X");
  EXPECT_EQ(error_name_in("", "X"), "X");
}

TEST(CutText, NeverCutsASequence) {
  EXPECT_EQ(cut_text("short", 10), "short");
  EXPECT_EQ(cut_text("ab\xC3\xA9z", 3), "ab...");
}

TEST(CutAtWord, CutsBetweenWords) {
  EXPECT_EQ(cut_at_word("short", 5), "short");
  EXPECT_EQ(cut_at_word("one two three four", 16), "one two three…");
  EXPECT_EQ(cut_at_word("one two three four", 15), "one two…");
  EXPECT_EQ(cut_at_word("one two, three four", 14), "one two…");
}

TEST(CutAtWord, CutsAWordThatIsLongerThanTheRoom) {
  EXPECT_EQ(cut_at_word("a " + std::string(50, 'x'), 23), "a " + std::string(18, 'x') + "…");
  EXPECT_EQ(cut_at_word("ääääää", 8), "ää…");
}

}  // namespace
}  // namespace autokernel::kernelbench
