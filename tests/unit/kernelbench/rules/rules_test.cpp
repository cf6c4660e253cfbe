#include "kernelbench/rules/rules.hpp"

#include <gmock/gmock.h>

#include "common/protocol/describe.hpp"

namespace autokernel::kernelbench {
namespace {

using protocol::Precision;
using testing::AllOf;
using testing::HasSubstr;

TEST(Rules, MainIsTightInFp32Only) {
  const RuleTable* rules = find_rules("main").value();
  EXPECT_EQ(rules->tolerance(Precision::kFp32), (Tolerance{1e-4, 1e-4}));
  EXPECT_EQ(rules->tolerance(Precision::kFp16), (Tolerance{1e-2, 1e-2}));
  EXPECT_EQ(rules->tolerance(Precision::kBf16), (Tolerance{1e-2, 1e-2}));
  EXPECT_EQ(rules->trials, 5);
  EXPECT_EQ(rules->seed, 42U);
}

TEST(Rules, FirstPublishedVersionIsLooseThroughout) {
  const RuleTable* rules = find_rules("v0.1").value();
  for (const auto precision : {Precision::kFp32, Precision::kFp16, Precision::kBf16}) {
    EXPECT_EQ(rules->tolerance(precision), (Tolerance{1e-2, 1e-2}));
  }
}

TEST(Rules, ThresholdsStartAtZeroAndRise) {
  for (const RuleTable& rules : all_rules()) {
    EXPECT_THAT(rules.speedup_thresholds, testing::ElementsAre(0, 0.5, 0.8, 1, 1.5, 2, 3, 5));
  }
}

TEST(Rules, RefusesAnUnknownNameWithTheKnownOnes) {
  const auto result = find_rules("mian");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Code::kInvalid);
  EXPECT_THAT(find_rules("v0.2").error().message, AllOf(HasSubstr("did you mean 'v0.1'?"), HasSubstr("main, v0.1")));
}

TEST(Rules, TheDefaultOfTheOptionsIsATable) { EXPECT_TRUE(find_rules(protocol::EvaluationOptions{}.rules)); }

}  // namespace
}  // namespace autokernel::kernelbench
