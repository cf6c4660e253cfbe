#include "common/id/id.hpp"

#include <gtest/gtest.h>

#include <unordered_set>

namespace autokernel {
namespace {

TEST(LeaseToken, OrdersByEpochBeforeNumber) {
  const LeaseToken old_leader{Epoch{1}, 900};
  const LeaseToken new_leader{Epoch{2}, 1};
  EXPECT_LT(old_leader, new_leader);
  EXPECT_LT((LeaseToken{Epoch{2}, 1}), (LeaseToken{Epoch{2}, 2}));
}

TEST(LeaseToken, ReadsAsEpochAndNumber) { EXPECT_EQ(to_string(LeaseToken{Epoch{3}, 41}), "3-41"); }

TEST(LeaseToken, IsAKeyOfHashTables) {
  const std::unordered_set<LeaseToken> tokens{{Epoch{1}, 2}, {Epoch{2}, 1}, {Epoch{1}, 2}};
  EXPECT_EQ(tokens.size(), 2U);
}

}  // namespace
}  // namespace autokernel
