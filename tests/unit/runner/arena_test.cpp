#include "worker/runner/device/arena.hpp"

#include <ATen/ATen.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <limits>

#include "worker/runner/device/cpu_device.hpp"

namespace autokernel::runner {
namespace {

using messages::TensorView;
constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();
constexpr std::uint64_t kBytes = 4096;

class ArenaTest : public testing::Test {
 protected:
  CpuDevice device_;
  Arena arena_ = *Arena::create(device_, kBytes);
};

TEST_F(ArenaTest, GivesAViewOfItsOwnMemory) {
  const auto tensor = arena_.tensor(TensorView{"float32", {2, 3}, {3, 1}, 256});
  ASSERT_TRUE(tensor) << tensor.error().message;
  EXPECT_EQ(static_cast<std::byte*>(tensor->data_ptr()), arena_.base() + 256);
  EXPECT_EQ(tensor->sizes(), at::IntArrayRef({2, 3}));
}

TEST_F(ArenaTest, TakesViewsThatReachExactlyToTheEnd) {
  EXPECT_TRUE(arena_.tensor(TensorView{"float32", {1024}, {1}, 0}));
  EXPECT_TRUE(arena_.tensor(TensorView{"uint8", {1}, {1}, kBytes - 1}));
  EXPECT_TRUE(arena_.tensor(TensorView{"float32", {2}, {1022}, 4}));
  EXPECT_TRUE(arena_.tensor(TensorView{"float32", {0, 7}, {7, 1}, kBytes}));
  EXPECT_TRUE(arena_.tensor(TensorView{"float64", {}, {}, kBytes - 8}));
}

TEST_F(ArenaTest, RefusesWhatReachesOutside) {
  const std::vector<TensorView> hostile{
      {"float32", {1025}, {1}, 0},                            // one element too many
      {"float32", {1024}, {1}, 4},                            // shifted over the end
      {"float32", {2}, {1024}, 0},                            // a stride over the end
      {"float32", {1}, {1}, kBytes},                          // starts at the end
      {"float32", {1}, {1}, kNotInArena - 3},                 // offset + size wraps around
      {"float32", {kHuge}, {1}, 0},                           // size overflows
      {"float32", {kHuge, kHuge}, {0, 0}, 0},                 // number of elements overflows
      {"float32", {2, 2}, {kHuge, kHuge}, 0},                 // strides overflow
      {"float32", {kHuge}, {kHuge}, 0},                       // their product overflows
      {"float32", {-1}, {1}, 0},                              // negative extent
      {"float32", {2}, {-1}, 64},                             // negative stride
      {"float32", {0, kHuge, kHuge}, {1, 1, 1}, kBytes + 4},  // empty, but elsewhere
  };
  for (const TensorView& view : hostile) {
    const auto tensor = arena_.tensor(view);
    ASSERT_FALSE(tensor) << testing::PrintToString(view.shape) << testing::PrintToString(view.strides);
    EXPECT_EQ(tensor.error().code, Code::kInvalid);
  }
}

TEST_F(ArenaTest, RefusesDescriptionsThatAreNoTensors) {
  EXPECT_FALSE(arena_.tensor(TensorView{"float33", {1}, {1}, 0}));
  EXPECT_FALSE(arena_.tensor(TensorView{"", {1}, {1}, 0}));
  EXPECT_FALSE(arena_.tensor(TensorView{"float32", {1, 2}, {1}, 0}));
  EXPECT_FALSE(
      arena_.tensor(TensorView{"float32", std::vector<std::int64_t>(64, 1), std::vector<std::int64_t>(64, 1), 0}));
  EXPECT_FALSE(arena_.tensor(TensorView{"float32", {1}, {1}, 2}));  // misaligned
}

TEST_F(ArenaTest, PoisonIsNotANumber) {
  ASSERT_TRUE(arena_.poison(0, kBytes));
  for (const char* dtype : {"float32", "float16", "bfloat16", "float64"}) {
    const auto tensor = arena_.tensor(TensorView{dtype, {16}, {1}, 0});
    EXPECT_TRUE(tensor->isnan().all().item<bool>()) << dtype;
  }
  EXPECT_FALSE(arena_.poison(kBytes, 1));
  EXPECT_FALSE(arena_.poison(1, kNotInArena));
}

TEST_F(ArenaTest, IsTheSameMemoryForWhoeverOpensIt) {
  const Arena other = *Arena::open(device_, arena_.handle(), system::UniqueFd(::dup(arena_.fd())));
  arena_.tensor(TensorView{"int64", {4}, {1}, 0})->fill_(7);
  EXPECT_EQ(other.tensor(TensorView{"int64", {4}, {1}, 0})->sum().item<std::int64_t>(), 28);
}

TEST_F(ArenaTest, CannotBeShrunkUnderTheJudge) { EXPECT_NE(::ftruncate(arena_.fd(), 0), 0); }

TEST_F(ArenaTest, RefusesAHandleThatPromisesMoreThanTheDescriptorHolds) {
  messages::ArenaHandle handle = arena_.handle();
  handle.bytes = kBytes * 1000;
  EXPECT_FALSE(Arena::open(device_, handle, system::UniqueFd(::dup(arena_.fd()))));
  EXPECT_FALSE(Arena::open(device_, arena_.handle(), system::UniqueFd()));
}

TEST_F(ArenaTest, LivesAsLongAsATensorOfIt) {
  at::Tensor tensor;
  {
    const Arena passing = *Arena::create(device_, kBytes);
    tensor = *passing.tensor(TensorView{"float32", {4}, {1}, 0});
  }
  tensor.fill_(1);
  EXPECT_EQ(tensor.sum().item<float>(), 4.0F);
}

}  // namespace
}  // namespace autokernel::runner
