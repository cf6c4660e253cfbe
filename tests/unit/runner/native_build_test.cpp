#include "worker/runner/builder/native_build.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace autokernel::runner {
namespace {

using messages::BuildOutcome;
using testing::Contains;
using testing::HasSubstr;

class NativeBuild : public testing::Test {
 protected:
  NativeBuild() {
    folder_ = std::filesystem::path(testing::TempDir()) /
              ("native_build_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~NativeBuild() override { std::filesystem::remove_all(folder_); }

  messages::Build request(const std::string& text, protocol::Language language = protocol::Language::kCpp) {
    const auto source = folder_ / "candidate.cpp";
    std::ofstream(source) << text;
    messages::Build build;
    build.language = language;
    build.source_path = source;
    build.artefact_folder = folder_;
    build.include_folder = AUTOKERNEL_INCLUDE_FOLDER;
    return build;
  }

  std::filesystem::path folder_;
};

TEST_F(NativeBuild, MakesALibraryOfAKernel) {
  const auto built =
      build_native(request("#include <autokernel/kernel.h>\n"
                           "AUTOKERNEL_KERNEL(const AutokernelCall* call) { return call->num_inputs; }\n"));
  EXPECT_EQ(built.outcome, BuildOutcome::kBuilt) << built.detail;
  EXPECT_TRUE(std::filesystem::exists(folder_ / "kernel.so"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "kernel.so.partial"));
}

TEST_F(NativeBuild, RepeatsTheCompilersErrorLines) {
  const auto built =
      build_native(request("#include <autokernel/kernel.h>\n"
                           "AUTOKERNEL_KERNEL(const AutokernelCall* call) { return nowhere; }\n"));
  EXPECT_EQ(built.outcome, BuildOutcome::kCompileError);
  EXPECT_THAT(built.detail, HasSubstr("'nowhere' was not declared"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "kernel.so"));
}

TEST_F(NativeBuild, SaysThatTheFunctionIsMissing) {
  const auto built = build_native(request("int forward() { return 0; }\n"));
  EXPECT_EQ(built.outcome, BuildOutcome::kCompileError);
  EXPECT_THAT(built.detail, HasSubstr("defines no function autokernel_forward"));
}

TEST_F(NativeBuild, RefusesSymbolsThatWouldBeMissingAtLoadTime) {
  const auto built =
      build_native(request("#include <autokernel/kernel.h>\nint elsewhere();\n"
                           "AUTOKERNEL_KERNEL(const AutokernelCall*) { return elsewhere(); }\n"));
  EXPECT_EQ(built.outcome, BuildOutcome::kCompileError);
  EXPECT_THAT(built.detail, HasSubstr("elsewhere"));
}

TEST_F(NativeBuild, CallsAMissingCompilerTheMachinesFault) {
  ::setenv("CXX", "/nowhere/g++", 1);
  const auto built = build_native(request("int x;\n"));
  ::unsetenv("CXX");
  EXPECT_EQ(built.outcome, BuildOutcome::kMissingTool);
}

TEST_F(NativeBuild, CompilesCudaWhereNvccIs) {
  auto build = request(
      "#include <autokernel/kernel.h>\n__global__ void nothing() {}\n"
      "AUTOKERNEL_KERNEL(const AutokernelCall* call) {\n"
      "  nothing<<<1, 1, 0, (cudaStream_t)call->stream>>>();\n  return 0;\n}\n",
      protocol::Language::kCuda);
  std::filesystem::rename(folder_ / "candidate.cpp", folder_ / "candidate.cu");
  build.source_path = folder_ / "candidate.cu";
  build.architectures = {"9.0"};
  const auto built = build_native(build);
  if (built.outcome == BuildOutcome::kMissingTool) GTEST_SKIP() << "no nvcc here: " << built.detail;
  EXPECT_EQ(built.outcome, BuildOutcome::kBuilt) << built.detail;

  std::ofstream(folder_ / "candidate.cu") << "__global__ void broken() { nowhere(); }\n";
  const auto broken = build_native(build);
  EXPECT_EQ(broken.outcome, BuildOutcome::kCompileError);
  EXPECT_THAT(broken.detail, HasSubstr("nowhere"));

  std::ofstream(folder_ / "candidate.cu") << "__global__ void lonely() {}\n";
  EXPECT_THAT(build_native(build).detail, HasSubstr("defines no function autokernel_forward"));
}

TEST_F(NativeBuild, CompilesCudaForExactlyTheDeviceAtHand) {
  auto build = request("", protocol::Language::kCuda);
  build.architectures = {"9.0", "8.6", "10.0", "12.0f"};
  const auto command = compile_command(build, "out.so");
  EXPECT_THAT(command, Contains("-gencode=arch=compute_90a,code=sm_90a"));
  EXPECT_THAT(command, Contains("-gencode=arch=compute_86,code=sm_86"));
  EXPECT_THAT(command, Contains("-gencode=arch=compute_100a,code=sm_100a"));
  EXPECT_THAT(command, Contains("-gencode=arch=compute_120f,code=sm_120f"));
}

}  // namespace
}  // namespace autokernel::runner
