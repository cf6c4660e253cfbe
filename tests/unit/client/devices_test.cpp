#include "client/node/devices.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace autokernel::client {
namespace {

constexpr const char* kCpu = R"({"kind": "cpu", "id": "cpu", "name": "some CPU", "memory_bytes": 1024})";

TEST(ParseDevices, TakesAnArrayOrAnObjectWithOne) {
  for (const std::string& text : {fmt::format("[{}]", kCpu), fmt::format("{{\"devices\": [{}]}}", kCpu)}) {
    const auto devices = parse_devices(text);
    ASSERT_TRUE(devices) << devices.error().message;
    ASSERT_EQ(devices->size(), 1U);
    EXPECT_EQ(devices->front().name, "some CPU");
    EXPECT_THAT(kinds_of(*devices), ::testing::ElementsAre(protocol::DeviceKind::kCpu));
  }
}

TEST(ParseDevices, RefusesAnUnknownKind) {
  EXPECT_FALSE(parse_devices(R"([{"kind": "abacus", "id": "0", "name": "", "memory_bytes": 0}])"));
}

TEST(SplitWarnings, KeepsThemFromBeingTakenForTheError) {
  const auto errors = split_warnings(
      "autokernel-worker: warning: A is unknown\nautokernel-worker: --devices: cuda:7 is not here\n"
      "autokernel-worker: warning: B is unknown\nand the last line");
  EXPECT_EQ(errors.warnings, "autokernel-worker: warning: A is unknown\nautokernel-worker: warning: B is unknown\n");
  EXPECT_EQ(errors.rest, "autokernel-worker: --devices: cuda:7 is not here\nand the last line");
  EXPECT_EQ(split_warnings("").rest, "");
}

}  // namespace
}  // namespace autokernel::client
