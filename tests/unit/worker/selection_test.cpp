#include "worker/devices/selection.hpp"

#include <gmock/gmock.h>

#include "fake_node.hpp"
#include "worker/devices/gpu_lock.hpp"

namespace autokernel::devices {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<Device> two_gpus() {
  std::vector<Device> gpus(2);
  for (int i = 0; i < 2; ++i) {
    gpus[static_cast<std::size_t>(i)].kind = protocol::DeviceKind::kCuda;
    gpus[static_cast<std::size_t>(i)].index = i;
    gpus[static_cast<std::size_t>(i)].id = fmt::format("GPU-{}", i);
    gpus[static_cast<std::size_t>(i)].name = "NVIDIA H200";
    gpus[static_cast<std::size_t>(i)].architecture = "9.0";
  }
  return gpus;
}

std::vector<std::string> ids(const std::vector<Device>& devices) {
  std::vector<std::string> result;
  for (const Device& device : devices) result.push_back(device.id);
  return result;
}

TEST(SelectDevices, AllMeansEveryGpuOrElseTheCpu) {
  EXPECT_THAT(ids(*select_devices("all", two_gpus(), {})), ElementsAre("GPU-0", "GPU-1"));
  EXPECT_THAT(ids(*select_devices("all", {}, {})), ElementsAre("cpu"));
}

TEST(SelectDevices, TakesTheNamedOnesInTheirOrder) {
  EXPECT_THAT(ids(*select_devices("cuda:1,cuda:0", two_gpus(), {})), ElementsAre("GPU-1", "GPU-0"));
  EXPECT_THAT(ids(*select_devices("cpu", two_gpus(), {})), ElementsAre("cpu"));
}

TEST(SelectDevices, NamesTheGpusThereAreWhenTheWantedOneIsMissing) {
  const auto none = select_devices("cuda:2", two_gpus(), {});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, Code::kNotFound);
  EXPECT_THAT(none.error().message, HasSubstr("cuda:0 (NVIDIA H200), cuda:1 (NVIDIA H200)"));
  EXPECT_THAT(select_devices("cuda:0", {}, {}).error().message, HasSubstr("no GPU was found"));
}

TEST(SelectDevices, RefusesWhatIsNoDevice) {
  for (const char* wrong : {"", "gpu", "cuda:", "cuda:x", "cuda:-1", "cpu,", "cuda:0,cuda:0"}) {
    const auto chosen = select_devices(wrong, two_gpus(), {});
    ASSERT_FALSE(chosen) << wrong;
    EXPECT_EQ(chosen.error().code, Code::kInvalid) << wrong;
  }
}

TEST(VisibleGpus, FollowsTheVariableAsCudaReadsIt) {
  EXPECT_THAT(ids(visible_gpus(two_gpus(), std::nullopt)), ElementsAre("GPU-0", "GPU-1"));
  EXPECT_THAT(ids(visible_gpus(two_gpus(), "1")), ElementsAre("GPU-1"));
  EXPECT_EQ(visible_gpus(two_gpus(), "1").front().flag(), "cuda:0");
  EXPECT_THAT(ids(visible_gpus(two_gpus(), "GPU-1,0")), ElementsAre("GPU-1", "GPU-0"));
  EXPECT_THAT(ids(visible_gpus(two_gpus(), "0,9,1")), ElementsAre("GPU-0"));
  EXPECT_THAT(visible_gpus(two_gpus(), ""), IsEmpty());
}

TEST(GpuLock, ASecondWorkerIsToldWhichFileAndWhatToDo) {
  const test::TemporaryFolder folder;
  const auto first = lock_gpus(two_gpus(), folder.path());
  ASSERT_TRUE(first);
  const auto second = lock_gpus({two_gpus()[1]}, folder.path());
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, Code::kUnavailable);
  EXPECT_THAT(second.error().message, HasSubstr("gpu-GPU-1.lock"));
  EXPECT_THAT(second.error().message, HasSubstr("--devices"));
}

TEST(GpuLock, TheCpuNeedsNone) {
  const test::TemporaryFolder folder;
  EXPECT_THAT(*lock_gpus({find_cpu()}, folder.path()), IsEmpty());
}

TEST(FindCpu, KnowsItsMemory) { EXPECT_GT(find_cpu().memory_bytes, 0U); }

TEST(Architectures, AreListedOnceAndInOrder) {
  auto gpus = two_gpus();
  gpus[0].architecture = "8.0";
  gpus.push_back(gpus[1]);
  EXPECT_EQ(architecture_list(architectures_of(gpus)), "8.0;9.0");
}

}  // namespace
}  // namespace autokernel::devices
