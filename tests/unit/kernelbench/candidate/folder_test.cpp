#include "kernelbench/candidate/folder.hpp"

#include <gmock/gmock.h>

#include "tests/unit/kernelbench/files.hpp"

namespace autokernel::kernelbench {
namespace {

using test::TemporaryFolder;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class CandidateFolderTest : public testing::Test {
 protected:
  CandidateFolderTest() {
    for (const char* name : {"level1/19_ReLU.py", "level1/20_LeakyReLU.py", "level2/1_Conv.py"})
      put(problems_, name, kGoodProblem);
    catalogue_ = load_catalogue(problems_.path()).value();
  }
  [[nodiscard]] Result<CandidateFolder> load() const { return load_candidates(folder_.path(), catalogue_); }

  TemporaryFolder problems_;
  TemporaryFolder folder_;
  Catalogue catalogue_;
};

TEST_F(CandidateFolderTest, ReadsBothLayoutsInOrder) {
  put(folder_, "level_1_problem_19_sample_1_kernel.py", "import torch");
  put(folder_, "level_1_problem_19_sample_0_kernel.cu", "__global__");
  put(folder_, "level1/20_LeakyReLU.sample_2.hip", "");
  put(folder_, "level2/1_conv.cpp", "");
  const auto found = load();
  ASSERT_TRUE(found) << found.error().message;
  std::vector<std::string> names;
  for (const Candidate& candidate : found->candidates) names.push_back(candidate.source.name);
  EXPECT_THAT(names, ElementsAre("level_1_problem_19_sample_0_kernel.cu", "level_1_problem_19_sample_1_kernel.py",
                                 "level1/20_LeakyReLU.sample_2.hip", "level2/1_conv.cpp"));
  EXPECT_EQ(found->candidates[2].source.sample, 2);
  EXPECT_EQ(found->candidates[2].source.needs, protocol::DeviceKind::kHip);
  EXPECT_EQ(found->candidates[3].source.language, protocol::Language::kCpp);
  EXPECT_EQ(found->of(catalogue_.find(1, 19)->source).size(), 2U);
  EXPECT_THAT(found->unmatched, IsEmpty());
}

TEST_F(CandidateFolderTest, PassesOverPromptsHiddenFilesAndCachesAndListsTheRest) {
  put(folder_, "level_1_problem_19_sample_0_kernel.py", "");
  put(folder_, "level_1_problem_19_sample_0_prompt.txt", "");
  put(folder_, ".gitignore", "");
  put(folder_, "__pycache__/x.pyc", "");
  put(folder_, "eval_results.json", "{}");
  put(folder_, "old/level_1_problem_19_sample_0_kernel.py", "");
  EXPECT_THAT(load()->ignored, ElementsAre("eval_results.json", "old/"));
}

TEST_F(CandidateFolderTest, WarnsOnceOfSourcesWithAnotherName) {
  put(folder_, "level_1_problem_19_sample_0_kernel.py", "");
  put(folder_, "eval_results.json", "{}");
  EXPECT_EQ(load()->misnamed(), "");
  put(folder_, "level1/relu.cu", "");
  EXPECT_THAT(load()->misnamed(),
              AllOf(HasSubstr("1 file in"), HasSubstr("is left out"),
                    HasSubstr(": level1/relu.cu; expected files like level_1_problem_19_sample_0")));
  for (const char* name : {"a.py", "b.py", "c.cu", "level_1_problem_19_sample_1.py"}) put(folder_, name, "");
  EXPECT_THAT(load()->misnamed(), AllOf(HasSubstr("5 files in"), HasSubstr(": a.py, b.py, c.cu and 2 more; ")));
}

TEST_F(CandidateFolderTest, WarnsOfCandidatesForNoProblemWithTheNearestName) {
  put(folder_, "level_1_problem_19_sample_0_kernel.py", "");
  put(folder_, "level_1_problem_99_sample_0_kernel.py", "");
  put(folder_, "level1/19_RelU6.py", "");
  const auto found = load();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->candidates.size(), 1U);
  EXPECT_THAT(found->unmatched, ElementsAre(AllOf(HasSubstr("level1/19_RelU6.py"), HasSubstr("'19_ReLU'")),
                                            AllOf(HasSubstr("problem_99"), HasSubstr("level 1 problems 19 to 20"))));
}

TEST_F(CandidateFolderTest, RefusesTwoFilesForOneSampleByBothNames) {
  put(folder_, "level_1_problem_19_sample_0_kernel.py", "");
  put(folder_, "level1/19_ReLU.cu", "");
  const auto found = load();
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, Code::kInvalid);
  EXPECT_THAT(found.error().message,
              AllOf(HasSubstr("level_1_problem_19_sample_0_kernel.py"), HasSubstr("19_ReLU.cu")));
}

TEST_F(CandidateFolderTest, KeepsGoodCandidatesBesideBrokenOnes) {
  put(folder_, "level_1_problem_19_sample_0_kernel.py", "ok");
  put(folder_, "level_1_problem_19_sample_1_kernel.py", "\xFF");
  put(folder_, "level_1_problem_19_sample_2_kernel.py", std::string((std::size_t{4} << 20U) + 1, '#'));
  std::filesystem::create_symlink("nowhere", folder_ / "level_1_problem_19_sample_3_kernel.py");
  const auto found = load();
  ASSERT_TRUE(found);
  ASSERT_EQ(found->candidates.size(), 4U);
  EXPECT_TRUE(found->candidates[0].usable());
  EXPECT_THAT(found->candidates[1].broken, HasSubstr("not UTF-8"));
  EXPECT_THAT(found->candidates[2].broken, HasSubstr("too big"));
  EXPECT_FALSE(found->candidates[3].usable());
}

TEST_F(CandidateFolderTest, ReadsALevelFolderByItself) {
  put(folder_, "level1/19_ReLU.cu", "");
  const auto found = load_candidates(folder_ / "level1", catalogue_);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->candidates.at(0).problem_id, 19);
}

TEST_F(CandidateFolderTest, RefusesFoldersWithoutACandidate) {
  EXPECT_THAT(load().error().message, HasSubstr("no candidate in"));
  EXPECT_EQ(load_candidates(folder_ / "nowhere", catalogue_).error().code, Code::kNotFound);
  EXPECT_EQ(load_candidates(put(folder_, "file", ""), catalogue_).error().code, Code::kInvalid);
}

TEST_F(CandidateFolderTest, LoadsASingleCandidateOfAnyName) {
  const auto& problem = catalogue_.find(1, 19)->source;
  const auto loaded = load_candidate(put(folder_, "mine.cu", "x"), problem);
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->source.language, protocol::Language::kCuda);
  EXPECT_EQ(loaded->problem_id, 19);
  EXPECT_EQ(load_candidate(put(folder_, "19_ReLU.sample_4.py", ""), problem)->source.sample, 4);
  EXPECT_EQ(load_candidate(folder_ / "no.py", problem).error().code, Code::kNotFound);
  EXPECT_THAT(load_candidate(put(folder_, "mine.rs", ""), problem).error().message,
              HasSubstr(".py, .cu, .hip or .cpp"));
}

}  // namespace
}  // namespace autokernel::kernelbench
