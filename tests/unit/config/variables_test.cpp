#include "common/config/variables.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace autokernel::config {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const std::vector<std::string> kKnown{"AUTOKERNEL_TRIALS", "AUTOKERNEL_CACHE_DIR"};

std::vector<std::string> warnings_of(const std::vector<std::string>& names) {
  return warn_of_unknown(names, "AUTOKERNEL_", kKnown, {"AUTOKERNEL_WORKER_"});
}

TEST(WarnOfUnknown, SaysNothingOfWhatIsKnownOrAnotherPrograms) {
  EXPECT_THAT(warnings_of({"AUTOKERNEL_TRIALS", "AUTOKERNEL_CACHE_DIR", "AUTOKERNEL_WORKER_ID"}), IsEmpty());
}

TEST(WarnOfUnknown, NamesTheNearest) {
  EXPECT_THAT(warnings_of({"AUTOKERNEL_TRAILS"}),
              ElementsAre("the environment variable AUTOKERNEL_TRAILS is unknown and has no effect; did you mean "
                          "AUTOKERNEL_TRIALS?"));
}

TEST(WarnOfUnknown, DoesNotTakeTheSharedPrefixForNearness) {
  EXPECT_THAT(warnings_of({"AUTOKERNEL_COLOUR"}),
              ElementsAre("the environment variable AUTOKERNEL_COLOUR is unknown and has no effect"));
}

TEST(VariablesWith, ReadsThisProcessesEnvironment) {
  ::setenv("AUTOKERNEL_TESTED_B", "1=2", 1);
  ::setenv("AUTOKERNEL_TESTED_A", "", 1);
  EXPECT_THAT(variables_with("AUTOKERNEL_TESTED_"), ElementsAre("AUTOKERNEL_TESTED_A", "AUTOKERNEL_TESTED_B"));
  ::unsetenv("AUTOKERNEL_TESTED_A");
  ::unsetenv("AUTOKERNEL_TESTED_B");
}

}  // namespace
}  // namespace autokernel::config
