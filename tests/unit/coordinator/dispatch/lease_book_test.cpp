#include "coordinator/dispatch/lease_book.hpp"

#include <gtest/gtest.h>

namespace autokernel::dispatch {
namespace {

using namespace std::chrono_literals;

constexpr LeaseToken kToken{{1}, 1};

class LeaseBookTest : public testing::Test {
 protected:
  void open(bool running = false) {
    Lease lease;
    lease.token = kToken;
    lease.worker = {"w"};
    lease.max_runtime = 60s;
    lease.running = running;
    book_.open(lease);
  }
  std::string expired_why() {
    const auto expired = book_.take_expired();
    return expired.empty() ? "" : std::string(expired.front().why);
  }

  ManualClock clock_;
  LeaseBook book_{clock_, DispatchOptions{}};
};

TEST_F(LeaseBookTest, LosesADispatchThatNeverArrived) {
  open();
  clock_.advance(9s);
  book_.heard_from({"w"});
  clock_.advance(1s);
  EXPECT_EQ(expired_why(), "no sign of a start");
}

TEST_F(LeaseBookTest, AnythingOfTheWorkerIsLife) {
  open(true);
  for (int i = 0; i < 10; ++i) {
    clock_.advance(6s);
    book_.heard_from({"w"});
    EXPECT_EQ(expired_why(), "");
  }
  clock_.advance(10s);
  EXPECT_EQ(expired_why(), "silent for a term");
}

TEST_F(LeaseBookTest, ADeniedLeaseGetsNoMoreTerms) {
  open(true);
  clock_.advance(6s);
  book_.deny(kToken);
  book_.heard_from({"w"});
  clock_.advance(4s);
  EXPECT_EQ(expired_why(), "silent for a term");
}

TEST_F(LeaseBookTest, ALeaseHeardOfAgainIsNoLongerDenied) {
  open(true);
  book_.deny(kToken);
  clock_.advance(6s);
  book_.heard_of(kToken);
  clock_.advance(6s);
  EXPECT_EQ(expired_why(), "");
}

TEST_F(LeaseBookTest, CountsRunTimeFromTheDeviceOn) {
  open(true);
  for (int i = 0; i < 20; ++i) {  // 100 s in the build and in line
    clock_.advance(5s);
    book_.heard_of(kToken);
  }
  book_.on_device(kToken);
  for (int i = 0; i < 18; ++i) {
    EXPECT_EQ(expired_why(), "");
    clock_.advance(5s);
    book_.heard_of(kToken);
    book_.on_device(kToken);
  }
  EXPECT_EQ(expired_why(), "over its time");
}

TEST_F(LeaseBookTest, FreshTermsDoNotExtendTheRunTime) {
  open(true);
  book_.on_device(kToken);
  clock_.advance(90s);
  book_.fresh_terms();
  EXPECT_EQ(expired_why(), "over its time");
}

TEST_F(LeaseBookTest, ALeaseThatIsEndingDoesNotExpire) {
  open(true);
  book_.find(kToken)->ending = true;
  clock_.advance(1h);
  EXPECT_EQ(expired_why(), "");
  EXPECT_NE(book_.find(kToken), nullptr);
}

}  // namespace
}  // namespace autokernel::dispatch
