#include "worker/runner/judge/problem_words.hpp"

#include <gtest/gtest.h>

namespace autokernel::judge {
namespace {

using messages::Failed;
using messages::FailureKind;

TEST(ProblemWords, AMissingPackageComesWithTheCommandThatBringsIt) {
  const Failed failed{FailureKind::kException, "ModuleNotFoundError: No module named 'einops.layers'", ""};
  EXPECT_EQ(problem_words(failed, "loading", {}),
            "the problem needs the Python package 'einops', which is missing here: pip install einops");
}

TEST(ProblemWords, PackagesAreInstalledByTheirOwnName) {
  const Failed failed{FailureKind::kException, "ModuleNotFoundError: No module named 'sklearn'", ""};
  EXPECT_NE(problem_words(failed, "loading", {}).find("pip install scikit-learn"), std::string::npos);
}

TEST(ProblemWords, MemoryIsToldInFigures) {
  const Failed failed{FailureKind::kOutOfMemory, "OutOfMemoryError: tried to allocate", ""};
  const std::string words = problem_words(failed, "its forward", {17'200'000'000, 9'000'000});
  EXPECT_NE(words.find("17.2 GB for inputs and outputs alone, 9 MB free"), std::string::npos) << words;
  EXPECT_NE(words.find("--batch"), std::string::npos);
}

TEST(ProblemWords, AnythingElseIsToldInItsOwnWords) {
  EXPECT_EQ(problem_words({FailureKind::kException, "ValueError: bad", ""}, "its forward", {}),
            "the problem itself fails here during its forward: ValueError: bad");
}

}  // namespace
}  // namespace autokernel::judge
