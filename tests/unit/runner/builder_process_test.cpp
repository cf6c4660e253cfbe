#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/unit/runner/runner_under_test.hpp"
#include "worker/messages/builder.hpp"

namespace autokernel::runner {
namespace {

using messages::BuildOutcome;
using messages::Built;
using testing::HasSubstr;

class BuilderProcess : public testing::Test {
 protected:
  Built build(const std::string& name, const std::string& text, protocol::Language language) {
    messages::Build request;
    request.language = language;
    request.source_path = runner_.write(name, text);
    request.artefact_folder = runner_.path("artefact");
    request.include_folder = AUTOKERNEL_INCLUDE_FOLDER;
    std::filesystem::create_directories(request.artefact_folder);
    auto channel = runner_.spawn(++children_, messages::Role::kBuilder);
    const auto answer = ask<messages::FromBuilder>(channel, messages::ToBuilder(request));
    if (!answer) {
      ADD_FAILURE() << answer.error().message << runner_.output(children_);
      return {};
    }
    return std::get<Built>(*answer);
  }
  Built build_python(const std::string& text) { return build("candidate.py", text, protocol::Language::kPython); }

  RunnerUnderTest runner_;
  std::uint64_t children_ = 0;
};

TEST_F(BuilderProcess, BuildsANativeKernel) {
  const Built built =
      build("candidate.cpp", "#include <autokernel/kernel.h>\nAUTOKERNEL_KERNEL(const AutokernelCall*) { return 0; }\n",
            protocol::Language::kCpp);
  EXPECT_EQ(built.outcome, BuildOutcome::kBuilt) << built.detail;
  EXPECT_TRUE(std::filesystem::exists(runner_.path("artefact/kernel.so")));
}

TEST_F(BuilderProcess, RepeatsWhatTheCompilerSays) {
  const Built built = build("candidate.cpp", "this is no C++\n", protocol::Language::kCpp);
  EXPECT_EQ(built.outcome, BuildOutcome::kCompileError);
  EXPECT_THAT(built.detail, HasSubstr("error"));
}

TEST_F(BuilderProcess, CallsASyntaxErrorACompileError) {
  const Built built = build_python("def ModelNew(:\n");
  EXPECT_EQ(built.outcome, BuildOutcome::kCompileError);
  EXPECT_THAT(built.detail, HasSubstr("SyntaxError"));
  EXPECT_THAT(built.detail, HasSubstr("line 1"));
}

TEST_F(BuilderProcess, LeavesOtherExceptionsToTheCandidateProcess) {
  EXPECT_EQ(build_python("raise ValueError('a GPU is needed')\n").outcome, BuildOutcome::kBuilt);
  EXPECT_EQ(build_python("import torch\nclass ModelNew(torch.nn.Module): pass\n").outcome, BuildOutcome::kBuilt);
}

TEST_F(BuilderProcess, ShowsTheLogOfAnExtensionThatDoesNotCompile) {
  // Sources without torch's headers, which would cost half a minute.
  const Built built =
      build_python("from torch.utils import cpp_extension\ncpp_extension.load(name='broken', sources=['" +
                   runner_.write("broken.cpp", "int f() { return nowhere; }\n") + "'])\n");
  EXPECT_EQ(built.outcome, BuildOutcome::kCompileError);
  EXPECT_THAT(built.detail, HasSubstr("nowhere"));
  const Built verbose =
      build_python("from torch.utils import cpp_extension\ncpp_extension.load(name='broken2', sources=['" +
                   runner_.write("broken2.cpp", "int f() { return nowhere; }\n") + "'], verbose=True)\n");
  EXPECT_EQ(verbose.outcome, BuildOutcome::kCompileError);
  EXPECT_THAT(verbose.detail, HasSubstr("nowhere"));
}

TEST_F(BuilderProcess, ShowsNoGpu) {
  EXPECT_EQ(
      build_python("import os\nassert os.environ['CUDA_VISIBLE_DEVICES'] == ''\nraise SyntaxError('seen')\n").outcome,
      BuildOutcome::kCompileError);
}

}  // namespace
}  // namespace autokernel::runner
