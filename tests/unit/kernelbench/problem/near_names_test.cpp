#include "kernelbench/problem/near_names.hpp"

#include <gmock/gmock.h>

namespace autokernel::kernelbench {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const std::vector<std::string> kNames{"19_ReLU", "20_LeakyReLU", "23_Softmax", "24_LogSoftmax"};

TEST(NearNames, PutsPartsBeforeTypos) {
  EXPECT_THAT(near_names("relu", kNames), ElementsAre("19_ReLU", "20_LeakyReLU"));
  EXPECT_THAT(near_names("23_Sofmtax", kNames), testing::Contains("23_Softmax"));
}

TEST(NearNames, IsSilentWhenNothingIsNear) { EXPECT_THAT(near_names("conv3d_transposed", kNames), IsEmpty()); }

TEST(NearNames, SurvivesHugeAndEmptyNames) {
  EXPECT_THAT(near_names(std::string(1'000'000, 'x'), kNames), IsEmpty());
  EXPECT_NO_FATAL_FAILURE((void)near_names("", kNames));
}

TEST(Suggestion, ReadsAsTheEndOfASentence) {
  EXPECT_EQ(suggestion(std::vector<std::string>{}), "");
  EXPECT_EQ(suggestion(std::vector<std::string>{"a"}), "; did you mean 'a'?");
  EXPECT_EQ(suggestion(std::vector<std::string>{"a", "b", "c"}), "; did you mean 'a', 'b' or 'c'?");
}

}  // namespace
}  // namespace autokernel::kernelbench
