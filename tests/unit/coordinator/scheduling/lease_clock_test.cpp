#include "coordinator/scheduling/lease_clock.hpp"

#include <gmock/gmock.h>

namespace autokernel::scheduling {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr LeaseToken kBusy{{1}, 1};
constexpr LeaseToken kSilent{{1}, 2};

TEST(LeaseClock, ExpiresOnlyTheWorkerThatFellSilent) {
  ManualClock clock;
  LeaseClock leases(clock, 10s);
  leases.start(kBusy);
  leases.start(kSilent);

  clock.advance(6s);
  ASSERT_TRUE(leases.renew(kBusy));
  clock.advance(5s);

  EXPECT_THAT(leases.take_expired(), ElementsAre(kSilent));
  EXPECT_EQ(leases.renew(kSilent).error().code, Code::kStale);
}

TEST(LeaseClock, ReturnsEachExpiredTokenOnce) {
  ManualClock clock;
  LeaseClock leases(clock, 10s);
  leases.start(kBusy);
  clock.advance(10s);
  EXPECT_THAT(leases.take_expired(), ElementsAre(kBusy));
  EXPECT_THAT(leases.take_expired(), IsEmpty());
}

TEST(LeaseClock, GivesFreshTermsAfterNobodyListened) {
  ManualClock clock;
  LeaseClock leases(clock, 10s);
  leases.start(kBusy);
  clock.advance(60s);
  leases.renew_all();
  EXPECT_THAT(leases.take_expired(), IsEmpty());
  clock.advance(10s);
  EXPECT_THAT(leases.take_expired(), ElementsAre(kBusy));
}

TEST(LeaseClock, KeepsALeasesOwnTermOverRenewals) {
  ManualClock clock;
  LeaseClock leases(clock, 10s);
  leases.start(kBusy, 60s);
  clock.advance(30s);
  ASSERT_TRUE(leases.renew(kBusy));
  clock.advance(59s);
  EXPECT_THAT(leases.take_expired(), IsEmpty());
}

TEST(LeaseClock, ForgetsAStoppedLease) {
  ManualClock clock;
  LeaseClock leases(clock, 10s);
  leases.start(kBusy);
  leases.stop(kBusy);
  leases.stop(kSilent);
  clock.advance(1h);
  EXPECT_THAT(leases.take_expired(), IsEmpty());
  EXPECT_FALSE(leases.next_expiry());
}

TEST(LeaseClock, TellsWhenTheNextLeaseExpires) {
  ManualClock clock;
  LeaseClock leases(clock, 10s);
  leases.start(kBusy);
  leases.start(kSilent, 3s);
  EXPECT_EQ(leases.next_expiry(), clock.now() + 3s);
}

}  // namespace
}  // namespace autokernel::scheduling
