#include "worker/runner/judge/foreign_text.hpp"

#include <gtest/gtest.h>

namespace autokernel::judge {
namespace {

TEST(ForeignText, KeepsProperText) {
  EXPECT_EQ(foreign_text("ValueError: größer\n\tat 3"), "ValueError: größer\n\tat 3");
}

TEST(ForeignText, ReplacesEscapesAndBrokenUtf8) {
  EXPECT_EQ(foreign_text("\x1b[31mred"), "?[31mred");
  EXPECT_EQ(foreign_text("a\xff\xc0\x80z"), "a???z");
  EXPECT_EQ(foreign_text("\xed\xa0\x80"), "???");
  EXPECT_EQ(foreign_text("\xf0\x9f"), "??");
  EXPECT_EQ(foreign_text("\xC2\x9B"
                         "31m"),
            "?31m")
      << "U+009B begins a sequence as ESC [ does";
}

TEST(ForeignText, CutsBetweenCharacters) { EXPECT_EQ(foreign_text("aaßb", 3), "aa..."); }

}  // namespace
}  // namespace autokernel::judge
