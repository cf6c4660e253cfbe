#include "kernelbench/problem/selection.hpp"

#include <gmock/gmock.h>

namespace autokernel::kernelbench {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

Catalogue a_catalogue() {
  Catalogue catalogue{"problems", {}, {}};
  const auto add = [&](int level, int id, const std::string& file) {
    catalogue.problems.push_back({{level, id, "level" + std::to_string(level) + "/" + file, "", false}, "", ""});
  };
  add(1, 1, "1_Matmul.py");
  add(1, 19, "19_ReLU.py");
  add(1, 40, "40_LayerNorm.py");
  add(2, 1, "1_Conv_ReLU.py");
  add(2, 19, "19_Gemm-GELU.py");
  return catalogue;
}

Result<std::vector<std::string>> selected(std::vector<int> levels, const std::vector<std::string>& only) {
  AUTOKERNEL_TRY_ASSIGN(auto terms, parse_only(only));
  AUTOKERNEL_TRY_ASSIGN(const auto catalogue, select(a_catalogue(), Selection{std::move(levels), std::move(terms)}));
  std::vector<std::string> names;
  for (const Problem& problem : catalogue.problems) names.push_back(problem.source.name);
  return names;
}

TEST(Selection, TakesEverythingWhenNothingIsAsked) { EXPECT_EQ(selected({}, {})->size(), 5U); }

TEST(Selection, TakesNumbersRangesAndNamesInTheCataloguesOrder) {
  EXPECT_THAT(*selected({}, {"40 , 1-18"}),
              ElementsAre("level1/1_Matmul.py", "level1/40_LayerNorm.py", "level2/1_Conv_ReLU.py"));
  EXPECT_THAT(*selected({2}, {"19"}), ElementsAre("level2/19_Gemm-GELU.py"));
  EXPECT_THAT(*selected({}, {"relu", "19_gemm-gelu.py"}), ElementsAre("level1/19_ReLU.py", "level2/19_Gemm-GELU.py"));
  EXPECT_THAT(*selected({}, {"level1/1_Matmul"}), ElementsAre("level1/1_Matmul.py"));
}

TEST(Selection, RefusesALevelThatIsNotThere) {
  EXPECT_THAT(selected({3}, {}).error().message, AllOf(HasSubstr("--level 3"), HasSubstr("levels 1, 2")));
}

TEST(Selection, RefusesATermThatMeetsNothingWithTheNearestNames) {
  EXPECT_THAT(selected({}, {"1,LayerNrm"}).error().message, AllOf(HasSubstr("LayerNrm"), HasSubstr("LayerNorm")));
  EXPECT_THAT(selected({1}, {"41-45"}).error().message, AllOf(HasSubstr("41-45"), HasSubstr("from 1 to 40")));
}

TEST(ParseOnly, SaysWhatIsWrongWithATerm) {
  EXPECT_THAT(parse_only({"1,,2"}).error().message, HasSubstr("an entry is empty"));
  EXPECT_THAT(parse_only({""}).error().message, HasSubstr("an entry is empty"));
  EXPECT_THAT(parse_only({"45-40"}).error().message, HasSubstr("write 40-45"));
  EXPECT_THAT(parse_only({"40-"}).error().message, HasSubstr("both ends"));
  EXPECT_THAT(parse_only({"-40"}).error().message, HasSubstr("both ends"));
  EXPECT_THAT(parse_only({"99999999999"}).error().message, HasSubstr("too large"));
}

}  // namespace
}  // namespace autokernel::kernelbench
