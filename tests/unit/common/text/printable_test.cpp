#include "common/text/printable.hpp"

#include <gmock/gmock.h>

namespace autokernel::text {
namespace {

TEST(Printable, LeavesTextAsItIs) {
  const std::string text = "line 1:\terror: “ä” is no 数\n  ^\n";
  EXPECT_EQ(printable(text), text);
}

TEST(Printable, WritesOutWhatATerminalWouldObey) {
  EXPECT_EQ(printable("a\x1b[31mred\x07\r\x7f"), "a\\x1b[31mred\\x07\\x0d\\x7f");
  EXPECT_EQ(printable(std::string_view("\0b", 2)), "\\x00b");
  EXPECT_EQ(printable("\xC2\x9B"
                      "31m"),
            "\\xc2\\x9b31m")
      << "U+009B begins a sequence as ESC [ does";
}

TEST(Printable, WritesOutBytesThatAreNoText) {
  EXPECT_EQ(printable("\x9b"
                      "1m\xff\xfe ok \xC2"),
            "\\x9b1m\\xff\\xfe ok \\xc2");
}

}  // namespace
}  // namespace autokernel::text
