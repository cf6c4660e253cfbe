#include "client/stdout_check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "common/system/file.hpp"
#include "tests/support/temporary_folder.hpp"

namespace autokernel::client {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

File open(const std::string& path) { return {std::fopen(path.c_str(), "w"), &std::fclose}; }

class StdoutCheck : public ::testing::Test {
 protected:
  std::string errors() {
    std::fflush(errors_.get());
    return *system::read_file(folder_ / "errors", 1000);
  }

  test::TemporaryFolder folder_;
  File errors_ = open((folder_ / "errors").string());
};

TEST_F(StdoutCheck, LeavesTheExitCodeOfWhatWasWritten) {
  const File output = open((folder_ / "output").string());
  std::fputs("a sheet\n", output.get());
  EXPECT_EQ(exit_code_after_output("autokernel", 1, output.get(), errors_.get()), 1);
  EXPECT_THAT(errors(), IsEmpty());
}

TEST_F(StdoutCheck, AFullDiskIsTheMachinesFault) {
  const File output = open("/dev/full");
  if (!output) GTEST_SKIP() << "/dev/full is not here";
  std::fputs("a sheet\n", output.get());
  EXPECT_EQ(exit_code_after_output("autokernel", 0, output.get(), errors_.get()), 3);
  EXPECT_THAT(errors(), HasSubstr("autokernel: cannot write to stdout: No space left on device"));
}

TEST_F(StdoutCheck, AFailureOfAnEarlierWriteIsNotForgotten) {
  const File output = open("/dev/full");
  if (!output) GTEST_SKIP() << "/dev/full is not here";
  std::fputs("a sheet\n", output.get());
  ASSERT_NE(std::fflush(output.get()), 0);
  EXPECT_EQ(exit_code_after_output("autokernel", 0, output.get(), errors_.get()), 3);
}

}  // namespace
}  // namespace autokernel::client
