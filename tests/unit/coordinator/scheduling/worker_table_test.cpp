#include "coordinator/scheduling/worker_table.hpp"

#include <gtest/gtest.h>

namespace autokernel::scheduling {
namespace {

using namespace std::chrono_literals;
using protocol::DeviceKind;

protocol::Hello a_hello(const std::string& worker, std::uint64_t incarnation, DeviceKind kind = DeviceKind::kCpu) {
  protocol::Hello hello;
  hello.worker = worker;
  hello.incarnation = incarnation;
  hello.devices.push_back({kind, "device", "a device", 0});
  return hello;
}

protocol::Heartbeat a_beat(std::uint64_t credit, std::uint64_t seen = 0) {
  protocol::Heartbeat beat;
  beat.credit = credit;
  beat.seen_dispatch = seen;
  return beat;
}

constexpr LeaseToken kToken{{3}, 1};

TEST(WorkerTable, KeepsAPlaceTakenUntilABeatHasSeenTheDispatch) {
  ManualClock clock;
  WorkerTable workers(clock, {3});
  workers.open("peer", a_hello("w", 1));
  Session& session = *workers.find("peer");
  workers.beat(session, a_beat(1));
  ASSERT_EQ(workers.free_places(session), 1U);
  const std::uint64_t seq = workers.dispatched(session, kToken);
  EXPECT_EQ(workers.free_places(session), 0U);

  workers.beat(session, a_beat(1, seq - 1));  // on its way before the dispatch arrived
  EXPECT_EQ(workers.free_places(session), 0U);
  workers.beat(session, a_beat(1, seq));  // the worker has it, and still offers one
  EXPECT_EQ(workers.free_places(session), 1U);
}

TEST(WorkerTable, CountsReservedPlaces) {
  ManualClock clock;
  WorkerTable workers(clock, {3});
  workers.open("peer", a_hello("w", 1));
  Session& session = *workers.find("peer");
  workers.beat(session, a_beat(2));
  session.reserved = 2;
  EXPECT_EQ(workers.free_places(session), 0U);
}

TEST(WorkerTable, OffersNothingOfARestingWorker) {
  ManualClock clock;
  WorkerTable workers(clock, {3});
  workers.open("peer", a_hello("w", 1));
  Session& session = *workers.find("peer");
  workers.beat(session, a_beat(2));
  workers.rest(session, 2s);
  EXPECT_EQ(workers.free_places(session), 0U);
  clock.advance(2s);
  EXPECT_EQ(workers.free_places(session), 2U);
}

TEST(WorkerTable, TheNewerProcessOfANameWins) {
  ManualClock clock;
  WorkerTable workers(clock, {3});
  EXPECT_FALSE(workers.open("old", a_hello("w", 1)));
  const auto replaced = workers.open("new", a_hello("w", 2));
  ASSERT_TRUE(replaced);
  EXPECT_EQ(replaced->peer, "old");
  EXPECT_EQ(workers.find("old"), nullptr);
  EXPECT_EQ(workers.find_worker({"w"})->peer, "new");
}

TEST(WorkerTable, NumbersDispatchesAboveEveryEpochBefore) {
  ManualClock clock;
  WorkerTable before(clock, {3});
  WorkerTable after(clock, {4});
  before.open("peer", a_hello("w", 1));
  after.open("peer", a_hello("w", 1));
  EXPECT_LT(before.dispatched(*before.find("peer"), kToken), after.dispatched(*after.find("peer"), kToken));
}

TEST(WorkerTable, KnowsWhoCanRunWhat) {
  ManualClock clock;
  WorkerTable workers(clock, {3});
  workers.open("a", a_hello("cpu", 1));
  workers.open("b", a_hello("gpu", 1, DeviceKind::kCuda));
  EXPECT_EQ(workers.capable(DeviceKind::kAny).size(), 2U);
  ASSERT_EQ(workers.capable(DeviceKind::kCuda).size(), 1U);
  EXPECT_EQ(workers.capable(DeviceKind::kCuda).front().value, "gpu");
  EXPECT_TRUE(workers.capable(DeviceKind::kHip).empty());
}

TEST(WorkerTable, AWorkerWithoutDevicesRunsNothing) {
  ManualClock clock;
  WorkerTable workers(clock, {3});
  protocol::Hello hello = a_hello("w", 1);
  hello.devices.clear();
  workers.open("peer", hello);
  EXPECT_FALSE(workers.find("peer")->kinds.serves(DeviceKind::kAny));
}

}  // namespace
}  // namespace autokernel::scheduling
