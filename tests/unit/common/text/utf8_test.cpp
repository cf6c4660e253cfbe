#include "common/text/utf8.hpp"

#include <gtest/gtest.h>

namespace autokernel::text {
namespace {

TEST(FindBadUtf8, AcceptsEveryLengthOfSequence) {
  EXPECT_EQ(find_bad_utf8("a \xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80"), std::string_view::npos);
}

TEST(FindBadUtf8, FindsTruncatedOverlongSurrogateAndTooLargeForms) {
  EXPECT_EQ(find_bad_utf8("ab\xC3"), 2U);
  EXPECT_EQ(find_bad_utf8("\xC0\xAF"), 0U);
  EXPECT_EQ(find_bad_utf8("\xE0\x80\xAF"), 0U);
  EXPECT_EQ(find_bad_utf8("\xED\xA0\x80"), 0U);
  EXPECT_EQ(find_bad_utf8("\xF4\x90\x80\x80"), 0U);
  EXPECT_EQ(find_bad_utf8("\xFF"), 0U);
  EXPECT_EQ(find_bad_utf8("\x80"), 0U);
}

TEST(IsControl, IsWhatATerminalObeysButForNewlineAndTab) {
  for (const char* control : {"\x1b", "\r", "\x7f", "\xC2\x9B"}) EXPECT_TRUE(is_control(control)) << control;
  for (const char* proper : {"a", "\n", "\t", "\xC2\xA0", "\xC3\xA9", "\xE2\x82\xAC"}) {
    EXPECT_FALSE(is_control(proper)) << proper;
  }
}

}  // namespace
}  // namespace autokernel::text
