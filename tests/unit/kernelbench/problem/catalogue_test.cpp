#include "kernelbench/problem/catalogue.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

#include "tests/unit/kernelbench/files.hpp"

namespace autokernel::kernelbench {
namespace {

using test::TemporaryFolder;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> names_of(const Catalogue& catalogue) {
  std::vector<std::string> names;
  for (const Problem& problem : catalogue.problems) names.push_back(problem.source.name);
  return names;
}

TEST(Catalogue, ListsProblemsByLevelThenNumber) {
  const TemporaryFolder folder;
  for (const char* name : {"level2/1_B.py", "level1/10_C.py", "level1/9_D.py", "level1/2_E.py"})
    put(folder, name, kGoodProblem);
  const auto catalogue = load_catalogue(folder.path());
  ASSERT_TRUE(catalogue) << catalogue.error().message;
  EXPECT_THAT(names_of(*catalogue), ElementsAre("level1/2_E.py", "level1/9_D.py", "level1/10_C.py", "level2/1_B.py"));
  EXPECT_THAT(catalogue->levels(), ElementsAre(1, 2));
  ASSERT_NE(catalogue->find(1, 9), nullptr);
  EXPECT_EQ(catalogue->find(1, 9)->source.text, kGoodProblem);
  EXPECT_EQ(catalogue->find(2, 9), nullptr);
}

TEST(Catalogue, TakesOneLevelFolderAndACheckout) {
  const TemporaryFolder folder;
  put(folder, "KernelBench/level3/7_X.py", kGoodProblem);
  put(folder, "KernelBench/changelog/1_x.txt", "");
  put(folder, "README.md", "");
  for (const char* root : {"", "KernelBench", "KernelBench/", "KernelBench/level3", "KernelBench/level3/"}) {
    const auto catalogue = load_catalogue(folder / root);
    ASSERT_TRUE(catalogue) << root << ": " << catalogue.error().message;
    EXPECT_THAT(names_of(*catalogue), ElementsAre("level3/7_X.py")) << root;
  }
}

TEST(Catalogue, RefusesAMissingFolderByName) {
  const TemporaryFolder folder;
  const auto result = load_catalogue(folder / "nowhere");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Code::kNotFound);
  EXPECT_THAT(result.error().message, AllOf(HasSubstr("nowhere"), HasSubstr("--problems")));
}

TEST(Catalogue, RefusesAnEmptyFolderAndAFile) {
  const TemporaryFolder folder;
  EXPECT_THAT(load_catalogue(folder.path()).error().message, HasSubstr("is empty"));
  EXPECT_THAT(load_catalogue(put(folder, "a.py", "")).error().message, HasSubstr("not a folder"));
}

TEST(Catalogue, SaysWhatAProblemIsNamedLike) {
  const TemporaryFolder folder;
  put(folder, "level1/notes.txt", "");
  EXPECT_THAT(load_catalogue(folder.path()).error().message, HasSubstr("<number>_<Name>.py"));
}

TEST(Catalogue, TellsToMoveProblemsIntoALevelFolder) {
  const TemporaryFolder folder;
  put(folder, "1_ReLU.py", kGoodProblem);
  EXPECT_THAT(load_catalogue(folder.path()).error().message, HasSubstr("level1"));
}

TEST(Catalogue, KeepsGoodProblemsBesideBrokenOnes) {
  const TemporaryFolder folder;
  put(folder, "level1/1_Good.py", kGoodProblem);
  put(folder, "level1/2_NoModel.py", "def get_inputs(): pass\ndef get_init_inputs(): pass\n'class Model'\n");
  put(folder, "level1/3_NotText.py", "\xFF\xFE\x00");
  put(folder, "level1/4_Huge.py", std::string((std::size_t{4} << 20U) + 1, '#'));
  put(folder, "level1/5_Twice.py", kGoodProblem);
  put(folder, "level1/5_Again.py", kGoodProblem);
  std::filesystem::create_directory(folder / "level1/6_Folder.py");
  std::filesystem::create_symlink("nowhere", folder / "level1/7_Dangling.py");
  const auto catalogue = load_catalogue(folder.path());
  ASSERT_TRUE(catalogue) << catalogue.error().message;
  EXPECT_EQ(catalogue->problems.size(), 8U);
  EXPECT_TRUE(catalogue->find(1, 1)->usable());
  EXPECT_THAT(catalogue->find(1, 2)->broken, AllOf(HasSubstr("2_NoModel.py"), HasSubstr("does not define Model:")));
  EXPECT_THAT(catalogue->find(1, 3)->broken, HasSubstr("not UTF-8"));
  EXPECT_THAT(catalogue->find(1, 4)->broken, HasSubstr("too big"));
  EXPECT_THAT(catalogue->find(1, 5)->broken, AllOf(HasSubstr("5_Again.py"), HasSubstr("5_Twice.py")));
  EXPECT_FALSE(catalogue->find(1, 6)->usable());
  EXPECT_FALSE(catalogue->find(1, 7)->usable());
}

TEST(Catalogue, MarksAnUnreadableFileBroken) {
  if (::geteuid() == 0) GTEST_SKIP() << "root reads every file";
  const TemporaryFolder folder;
  ::chmod(put(folder, "level1/1_Secret.py", kGoodProblem).c_str(), 0);
  EXPECT_THAT(load_catalogue(folder.path())->problems.at(0).broken, HasSubstr("cannot read"));
}

TEST(Catalogue, ListsOtherFilesAndPassesOverCachesAndHiddenOnes) {
  const TemporaryFolder folder;
  put(folder, "level1/1_Good.py", kGoodProblem);
  put(folder, "level1/helper.py", "");
  put(folder, "level1/.hidden.py", "");
  put(folder, "level1/__pycache__/x.pyc", "");
  EXPECT_THAT(load_catalogue(folder.path())->ignored, ElementsAre("level1/helper.py"));
}

TEST(ProblemFileName, NeedsANumberAnUnderscoreAndPy) {
  EXPECT_EQ(parse_problem_file_name("19_ReLU.py")->id, 19);
  EXPECT_EQ(parse_problem_file_name("19_ReLU_x.py")->name, "ReLU_x");
  for (const char* name :
       {"ReLU.py", "19.py", "_x.py", "1a_x.py", "19_ReLU.txt", "-1_x.py", "99999999999_x.py", ".py", ""}) {
    EXPECT_FALSE(parse_problem_file_name(name)) << name;
  }
}

TEST(LevelFolder, IsLevelWithANumber) {
  EXPECT_EQ(parse_level_folder("level12"), 12);
  for (const char* name :
       {"level", "level0", "level01", "Level1", "level1x", "levels", "level-1", "level99999999999"}) {
    EXPECT_FALSE(parse_level_folder(name)) << name;
  }
}

TEST(LoadProblem, TakesLevelAndNumberFromThePathWhereItHasThem) {
  const TemporaryFolder folder;
  const auto placed = load_problem(put(folder, "level2/3_X.py", kGoodProblem));
  ASSERT_TRUE(placed);
  EXPECT_EQ(placed->source.level, 2);
  EXPECT_EQ(placed->source.id, 3);
  EXPECT_EQ(placed->source.name, "level2/3_X.py");
  const auto loose = load_problem(put(folder, "mine.py", kGoodProblem));
  ASSERT_TRUE(loose);
  EXPECT_EQ(loose->source.level, 0);
  EXPECT_EQ(loose->source.name, "mine.py");
}

TEST(LoadProblem, RefusesWhatIsMissingOrBroken) {
  const TemporaryFolder folder;
  EXPECT_EQ(load_problem(folder / "no.py").error().code, Code::kNotFound);
  EXPECT_EQ(load_problem(put(folder, "x.py", "x = 1")).error().code, Code::kInvalid);
}

TEST(Catalogue, ReadsARealKernelBench) {
  const char* folder = std::getenv("AUTOKERNEL_KERNELBENCH");
  if (folder == nullptr) GTEST_SKIP() << "AUTOKERNEL_KERNELBENCH names no KernelBench folder";
  const auto catalogue = load_catalogue(folder);
  ASSERT_TRUE(catalogue) << catalogue.error().message;
  for (const Problem& problem : catalogue->problems) EXPECT_TRUE(problem.usable()) << problem.broken;
  EXPECT_GE(catalogue->problems.size(), 250U);
}

}  // namespace
}  // namespace autokernel::kernelbench
