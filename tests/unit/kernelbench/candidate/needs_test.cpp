#include "kernelbench/candidate/needs.hpp"

#include <gtest/gtest.h>

namespace autokernel::kernelbench {
namespace {

using protocol::DeviceKind;
using protocol::Language;

DeviceKind needs(std::string_view text) { return device_needs(Language::kPython, text); }

TEST(DeviceNeeds, OfNativeFilesFollowTheLanguage) {
  EXPECT_EQ(device_needs(Language::kCuda, ""), DeviceKind::kCuda);
  EXPECT_EQ(device_needs(Language::kHip, ""), DeviceKind::kHip);
  EXPECT_EQ(device_needs(Language::kCpp, ""), DeviceKind::kCpu);
}

TEST(DeviceNeeds, OfPlainPyTorchTritonAndCppExtensionsIsAny) {
  EXPECT_EQ(needs("import torch"), DeviceKind::kAny);
  EXPECT_EQ(needs("import triton\nimport triton.language as tl"), DeviceKind::kAny);
  EXPECT_EQ(needs("load_inline(name='x', cpp_sources=s, functions=['f'])"), DeviceKind::kAny);
}

TEST(DeviceNeeds, OfDeviceSourceIsItsDevice) {
  EXPECT_EQ(needs("source = '''__global__ void f() {}'''"), DeviceKind::kCuda);
  EXPECT_EQ(needs("load_inline(cuda_sources=read())"), DeviceKind::kCuda);
  EXPECT_EQ(needs("s = '#include <hip/hip_runtime.h>\\n__global__ void f();'"), DeviceKind::kHip);
}

TEST(DeviceNeeds, OfLanguagesForGpusOnlyIsCuda) {
  EXPECT_EQ(needs("import tilelang"), DeviceKind::kCuda);
  EXPECT_EQ(needs("from cutlass import cute"), DeviceKind::kCuda);
  EXPECT_EQ(needs("import cutlass.cute as cute"), DeviceKind::kCuda);
  EXPECT_EQ(needs("# import cutlass\nx = 'tilelang'"), DeviceKind::kAny);
}

}  // namespace
}  // namespace autokernel::kernelbench
