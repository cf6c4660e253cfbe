#include "worker/runner/candidate/launches.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace autokernel::runner {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// What --require-custom goes by: a forward with library kernels alone is refused, one with a custom kernel is not.

TEST(Launches, AForwardOfTheFrameworkHasNoCustomKernel) {
  const auto launches = sort_launches({
      "void at::native::vectorized_elementwise_kernel<4, at::native::AUnaryFunctor<float> >(int)",
      "nvjet_tst_128x256_64x4_1x2_h_bz_coopB_TNT",
      "sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize32x32x8_stage3_ffma_execute_kernel__5x_cublas",
      "void cutlass_80_simt_sgemm_256x128_8x4_tn_align1",
      "void cudnn::bn_fw_tr_1C11_kernel_NCHW<float, float>(int)",
      "void gemv2T_kernel_val<int, int, float, float, float>(int)",
      "void splitKreduce_kernel<32, 16, int, float>(int)",
      "Cijk_Ailk_Bljk_SB_MT64x64x16",
  });
  EXPECT_THAT(launches.custom, IsEmpty());
  EXPECT_EQ(launches.library.size(), 8U);
}

TEST(Launches, AKernelOfItsOwnCountsBesideThoseOfTheFramework) {
  const auto launches =
      sort_launches({"void at::native::reduce_kernel<512, 1>(int)", "triton_poi_fused_relu_0",
                     "my_relu_kernel(float const*, float*, int)", "(anonymous namespace)::relu<4>()"});
  EXPECT_THAT(launches.custom, ElementsAre("triton_poi_fused_relu_0", "my_relu_kernel(float const*, float*, int)",
                                           "(anonymous namespace)::relu<4>()"));
  EXPECT_THAT(launches.library, ElementsAre("void at::native::reduce_kernel<512, 1>(int)"));
}

TEST(Launches, EachNameStandsOnce) {
  const auto launches = sort_launches({"mine", "cublas_a", "mine", "cublas_a", "mine"});
  EXPECT_THAT(launches.custom, ElementsAre("mine"));
  EXPECT_THAT(launches.library, ElementsAre("cublas_a"));
}

TEST(Launches, NothingLaunchedIsNeither) {
  const auto launches = sort_launches({});
  EXPECT_THAT(launches.custom, IsEmpty());
  EXPECT_THAT(launches.library, IsEmpty());
}

TEST(Launches, ANameThatPretendsToBeTheFrameworksHarmsItsOwner) {
  EXPECT_TRUE(is_library_kernel("void at::native::not_really(float*)"));
  EXPECT_FALSE(is_library_kernel("native_relu(float*)"));
}

}  // namespace
}  // namespace autokernel::runner
