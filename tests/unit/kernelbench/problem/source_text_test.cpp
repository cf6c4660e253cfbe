#include "kernelbench/problem/source_text.hpp"

#include <gmock/gmock.h>

#include "tests/unit/kernelbench/files.hpp"

namespace autokernel::kernelbench {
namespace {

using test::TemporaryFolder;
using testing::HasSubstr;

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
