#include "client/plan/supported.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "client/run/folder_run.hpp"
#include "tests/support/temporary_folder.hpp"

namespace autokernel::client {
namespace {

using protocol::SandboxMode;
using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(Supported, TakesTheDefaultsAndASandboxThatMayBeMissing) {
  protocol::EvaluationOptions options;
  EXPECT_TRUE(check_supported(options));
  options.sandbox = SandboxMode::kOff;
  EXPECT_TRUE(check_supported(options));
}

TEST(Supported, RefusesASandboxThatMustBeThere) {
  protocol::EvaluationOptions options;
  options.sandbox = SandboxMode::kRequire;
  const auto checked = check_supported(options);
  ASSERT_FALSE(checked);
  EXPECT_EQ(exit_code_of(checked.error().code), 2);
  EXPECT_THAT(checked.error().message, AllOf(HasSubstr("--sandbox require"), HasSubstr("--sandbox best")));
}

TEST(Supported, IsAskedBeforeARunFolderIsTouched) {
  const test::TemporaryFolder folder;
  FolderRunRequest request;
  request.command = "sweep";
  request.plan.problems = folder / "nowhere";
  request.plan.options.sandbox = SandboxMode::kRequire;
  request.out = (folder / "run").string();
  const auto run = run_in_folder(request);
  ASSERT_FALSE(run);
  EXPECT_THAT(run.error().message, HasSubstr("--sandbox require"));
  EXPECT_FALSE(std::filesystem::exists(folder / "run"));
}

}  // namespace
}  // namespace autokernel::client
