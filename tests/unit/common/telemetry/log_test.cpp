#include "common/telemetry/log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "tests/support/temporary_folder.hpp"

namespace autokernel::telemetry {
namespace {

using test::TemporaryFolder;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

std::string text_of(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST(Log, WritesAHumanLineWithItsFields) {
  const TemporaryFolder folder;
  start_logging({.process = "worker", .path = folder / "log"});
  info("job started", {{"job", 17}, {"token", "3-41"}});
  EXPECT_THAT(text_of(folder / "log"), EndsWith(" I worker: job started job=17 token=3-41\n"));
}

TEST(Log, WritesOneJsonObjectALine) {
  const TemporaryFolder folder;
  start_logging({.process = "worker", .path = folder / "log", .json = true});
  warning("odd \"name\"", {{"name", "a\\b\nc"}});
  EXPECT_THAT(text_of(folder / "log"), EndsWith(R"("level":"warning","process":"worker",)"
                                                R"("message":"odd \"name\"","name":"a\\b\u000ac"})"
                                                "\n"));
}

TEST(Log, LeavesOutWhatIsBelowItsLevel) {
  const TemporaryFolder folder;
  start_logging({.process = "worker", .path = folder / "log", .level = Level::kWarning});
  info("too much");
  error("enough");
  EXPECT_THAT(text_of(folder / "log"), HasSubstr("enough"));
  EXPECT_THAT(text_of(folder / "log"), Not(HasSubstr("too much")));
}

TEST(Log, TakesBracesInMessagesAsTheyAre) {
  const TemporaryFolder folder;
  start_logging({.process = "worker", .path = folder / "log"});
  info("{} is no placeholder {0}");
  EXPECT_THAT(text_of(folder / "log"), HasSubstr("{} is no placeholder {0}"));
}

TEST(Log, GoesToStderrWhenItsFileCannotBeWritten) {
  testing::internal::CaptureStderr();
  start_logging({.process = "worker", .path = "/dev/null/log"});
  info("still heard");
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_THAT(text, HasSubstr("the log file cannot be written"));
  EXPECT_THAT(text, HasSubstr("still heard"));
}

}  // namespace
}  // namespace autokernel::telemetry
