#include "client/doctor/finding.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace autokernel::client {
namespace {

using ::testing::HasSubstr;

const Finding kRedis{"redis-server", false, true, "the queue needs it", "apt-get install redis-server"};
const Finding kGpu{"GPU", false, false, "none", ""};
const Finding kTorch{"torch", true, true, "2.11.0", ""};

TEST(Findings, ASweepNeedsOnlyWhatIsRequired) {
  EXPECT_TRUE(can_sweep({kGpu, kTorch}));
  EXPECT_FALSE(can_sweep({kGpu, kTorch, kRedis}));
}

TEST(Findings, TextNamesWhatIsMissingAndTheCommandThatBringsIt) {
  const std::string text = findings_text({kTorch, kRedis});
  EXPECT_THAT(text, HasSubstr("MISSING  redis-server"));
  EXPECT_THAT(text, HasSubstr("get it: apt-get install redis-server"));
}

TEST(Findings, ValueHasNoRemedyWhereThereIsNone) {
  const auto value = findings_value({kTorch});
  EXPECT_EQ(*value.find("can_sweep"), protocol::Value(true));
  EXPECT_TRUE(value.find("findings")->as<protocol::Value::Array>()->front().find("remedy")->is_nil());
}

TEST(UserNamespacesRemedy, DoesNotTellRootToBeRoot) {
  EXPECT_THAT(user_namespaces_remedy(false), HasSubstr("run as root"));
  EXPECT_THAT(user_namespaces_remedy(true), ::testing::Not(HasSubstr("run as root")));
}

TEST(ExamineSandbox, LooksAtEveryLayer) {
  const auto findings = examine_sandbox();
  ASSERT_EQ(findings.size(), 3U);
  for (const Finding& finding : findings) EXPECT_FALSE(finding.detail.empty()) << finding.name;
}

}  // namespace
}  // namespace autokernel::client
