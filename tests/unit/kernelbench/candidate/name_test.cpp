#include "kernelbench/candidate/name.hpp"

#include <gtest/gtest.h>

namespace autokernel::kernelbench {
namespace {

using protocol::Language;

TEST(CandidateName, RoundTripsInEveryLanguage) {
  for (const Language language : {Language::kPython, Language::kCuda, Language::kHip, Language::kCpp}) {
    const CandidateName name{3, 42, 7, language};
    EXPECT_EQ(parse_candidate_name(candidate_file_name(name)), name);
  }
  EXPECT_EQ(candidate_file_name({1, 19, 0, Language::kPython}), "level_1_problem_19_sample_0_kernel.py");
}

TEST(CandidateName, RefusesEverythingElse) {
  for (const char* file : {"level_1_problem_19_sample_0_kernel.txt", "level_1_problem_19_kernel.py",
                           "level_1_problem_19_sample__kernel.py", "level_1_problem_19_sample_-1_kernel.py",
                           "level_1_problem_19_sample_0_kernel.py.bak", "level_1_problem_19_sample_0_kernel_x.py",
                           "level_99999999999_problem_1_sample_0_kernel.py", "x", ".py", ""}) {
    EXPECT_FALSE(parse_candidate_name(file)) << file;
  }
}

TEST(MirroredName, IsTheProblemsNameWithASampleWhereThereAreSeveral) {
  EXPECT_EQ(parse_mirrored_name("19_ReLU.cu"), (MirroredName{19, "19_ReLU", 0, Language::kCuda}));
  EXPECT_EQ(parse_mirrored_name("19_ReLU.sample_12.py"), (MirroredName{19, "19_ReLU", 12, Language::kPython}));
  EXPECT_EQ(parse_mirrored_name("8_v1.5.cpp"), (MirroredName{8, "8_v1.5", 0, Language::kCpp}));
}

TEST(MirroredName, RefusesOtherFiles) {
  for (const char* file : {"ReLU.cu", "19.cu", "19_ReLU.txt", "19_ReLU", "", "_x.py"})
    EXPECT_FALSE(parse_mirrored_name(file)) << file;
}

}  // namespace
}  // namespace autokernel::kernelbench
