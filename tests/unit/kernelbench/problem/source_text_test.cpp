#include "kernelbench/problem/source_text.hpp"

#include <gmock/gmock.h>

#include "tests/unit/kernelbench/files.hpp"

namespace autokernel::kernelbench {
namespace {

using test::TemporaryFolder;
using testing::HasSubstr;

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

TEST(ReadSource, NamesTheFileThatIsNotUtf8AndTheByte) {
  const TemporaryFolder folder;
  const auto path = put(folder, "a.py", "x = '\xFF\xFE'");
  const auto result = read_source(path);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Code::kInvalid);
  EXPECT_THAT(result.error().message, HasSubstr(path.string()));
  EXPECT_THAT(result.error().message, HasSubstr("byte 5"));
}

TEST(ReadSource, RefusesMoreThanFourMebibytes) {
  const TemporaryFolder folder;
  EXPECT_TRUE(read_source(put(folder, "fits.py", std::string(kMaxSourceBytes, '#'))));
  const auto result = read_source(put(folder, "big.py", std::string(kMaxSourceBytes + 1, '#')));
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message, HasSubstr("big.py"));
}

TEST(ReadSource, RefusesNulBytesAndFolders) {
  const TemporaryFolder folder;
  EXPECT_FALSE(read_source(put(folder, "a.py", std::string_view("a\0b", 3))));
  EXPECT_FALSE(read_source(folder.path()));
}

}  // namespace
}  // namespace autokernel::kernelbench
