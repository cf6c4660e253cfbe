#include "client/plan/plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/system/file.hpp"
#include "tests/support/temporary_folder.hpp"

namespace autokernel::client {
namespace {

using protocol::DeviceKind;
using protocol::Verdict;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr const char* kProblem = R"(import torch
batch_size = 16
class Model(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x)
def get_inputs():
    return [torch.rand(batch_size, 4)]
def get_init_inputs():
    return []
)";
constexpr const char* kCandidate = "import torch\nbatch_size = 16\nclass ModelNew(torch.nn.Module):\n    pass\n";

class PlanTest : public ::testing::Test {
 protected:
  PlanTest() {
    request_.problems = folder_ / "problems";
    request_.candidates = folder_ / "candidates";
    put("problems/level1/1_first.py", kProblem);
    put("problems/level1/2_second.py", kProblem);
    put("candidates/level_1_problem_1_sample_0_kernel.py", kCandidate);
  }

  void put(const std::string& name, const std::string& text) {
    std::filesystem::create_directories((folder_ / name).parent_path());
    ASSERT_TRUE(system::write_file(folder_ / name, text));
  }

  test::TemporaryFolder folder_;
  PlanRequest request_;
  const std::set<DeviceKind> cpu_{DeviceKind::kCpu};
};

TEST_F(PlanTest, MakesAJobOfEachCandidate) {
  put("candidates/level_1_problem_1_sample_1_kernel.py", kCandidate);
  const auto plan = make_plan(request_, cpu_);
  ASSERT_TRUE(plan) << plan.error().message;
  ASSERT_THAT(plan->jobs, SizeIs(2));
  EXPECT_EQ(plan->jobs[0].spec.problem.name, "level1/1_first.py");
  EXPECT_EQ(plan->jobs[0].spec.candidate.sample, 0);
  EXPECT_EQ(plan->jobs[1].spec.candidate.sample, 1);
  EXPECT_NE(plan->jobs[0].submit_key, plan->jobs[1].submit_key);
}

TEST_F(PlanTest, TheSameRequestGivesTheSameKeys) {
  EXPECT_EQ(make_plan(request_, cpu_)->jobs[0].submit_key, make_plan(request_, cpu_)->jobs[0].submit_key);
}

TEST_F(PlanTest, HasTheDigestsThatRecordsHold) {
  const auto plan = make_plan(request_, cpu_);
  ASSERT_TRUE(plan) << plan.error().message;
  const auto digests = decided_record(plan->jobs[0].spec, Verdict::kRobust, "").digests;
  EXPECT_EQ(plan->problem_digests.at("level1/1_first.py"), digests.problem);
  EXPECT_EQ(plan->candidate_digests.at("level_1_problem_1_sample_0_kernel.py"), digests.candidate);
}

TEST_F(PlanTest, WarnsOfACandidateWithAnotherName) {
  put("candidates/second.py", kCandidate);
  const auto plan = make_plan(request_, cpu_);
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_THAT(plan->jobs, SizeIs(1));
  EXPECT_THAT(plan->warnings,
              ::testing::Contains(HasSubstr("is left out, since its name is no candidate's: second.py")));
}

TEST_F(PlanTest, ScoresProblemsWithoutACandidate) {
  const auto plan = make_plan(request_, cpu_);
  ASSERT_TRUE(plan);
  EXPECT_THAT(plan->problems, SizeIs(2));
  EXPECT_THAT(plan->warnings, ElementsAre("1 of 2 problems have no candidate; they count as failed"));
}

TEST_F(PlanTest, ABrokenProblemIsAVerdictOfItsCandidates) {
  put("problems/level1/1_first.py", "this is no problem\n");
  const auto plan = make_plan(request_, cpu_);
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_THAT(plan->jobs, IsEmpty());
  ASSERT_THAT(plan->decided, SizeIs(1));
  EXPECT_EQ(plan->decided[0].verdict, Verdict::kProblemError);
  EXPECT_EQ(plan->decided[0].candidate, "level_1_problem_1_sample_0_kernel.py");
  EXPECT_FALSE(plan->decided[0].detail.empty());
}

TEST_F(PlanTest, ABrokenCandidateIsALoadError) {
  put("candidates/level_1_problem_2_sample_0_kernel.py", std::string(5U << 20U, 'x'));
  const auto plan = make_plan(request_, cpu_);
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_THAT(plan->jobs, SizeIs(1));
  ASSERT_THAT(plan->decided, SizeIs(1));
  EXPECT_EQ(plan->decided[0].verdict, Verdict::kLoadError);
  EXPECT_EQ(plan->decided[0].problem, "level1/2_second.py");
  EXPECT_THAT(plan->decided[0].detail, HasSubstr("too big"));
}

TEST_F(PlanTest, SkipsWhatNoDeviceHereCanRun) {
  put("candidates/level_1_problem_2_sample_0_kernel.cu", "// a kernel\n");
  const auto plan = make_plan(request_, cpu_);
  ASSERT_TRUE(plan);
  EXPECT_THAT(plan->jobs, SizeIs(1));
  ASSERT_THAT(plan->skipped, SizeIs(1));
  EXPECT_EQ(plan->skipped[0].candidate, "level_1_problem_2_sample_0_kernel.cu");
  EXPECT_EQ(plan->skipped[0].reason, "needs a CUDA GPU");
}

TEST_F(PlanTest, SkipsNothingWhenTheDevicesAreNotKnown) {
  put("candidates/level_1_problem_2_sample_0_kernel.cu", "// a kernel\n");
  EXPECT_THAT(make_plan(request_, std::nullopt)->jobs, SizeIs(2));
}

TEST_F(PlanTest, OverridesTheBatchInProblemAndCandidate) {
  request_.options.batch = 3;
  const auto plan = make_plan(request_, cpu_);
  ASSERT_TRUE(plan);
  ASSERT_THAT(plan->jobs, SizeIs(1));
  EXPECT_THAT(plan->jobs[0].spec.problem.text, HasSubstr("batch_size = 3\n"));
  EXPECT_THAT(plan->jobs[0].spec.candidate.text, HasSubstr("batch_size = 3\n"));
  EXPECT_TRUE(plan->jobs[0].spec.problem.batch_overridden);
}

TEST_F(PlanTest, WarnsWhereABatchOverrideHasNothingToChange) {
  put("problems/level1/1_first.py",
      std::string(kProblem).replace(std::string(kProblem).find("batch_size = 16"), 15, "n = 16"));
  request_.options.batch = 3;
  request_.only = {"1"};
  const auto plan = make_plan(request_, cpu_);
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_THAT(plan->warnings, ElementsAre(HasSubstr("--batch leaves level1/1_first.py as they are")));
}

TEST_F(PlanTest, TakesTheSelectedProblemsOnly) {
  request_.only = {"1"};
  const auto plan = make_plan(request_, cpu_);
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_THAT(plan->problems, SizeIs(1));
  EXPECT_THAT(plan->warnings, IsEmpty());
}

TEST_F(PlanTest, ABaselineNeedsNoCandidates) {
  request_.kind = protocol::JobKind::kBaseline;
  request_.candidates.clear();
  const auto plan = make_plan(request_, cpu_);
  ASSERT_TRUE(plan) << plan.error().message;
  ASSERT_THAT(plan->jobs, SizeIs(2));
  EXPECT_EQ(plan->jobs[0].spec.kind, protocol::JobKind::kBaseline);
  EXPECT_EQ(plan->jobs[0].spec.candidate.name, "");
}

TEST_F(PlanTest, WarnsOfACandidateForNoProblem) {
  put("candidates/level_1_problem_77_sample_0_kernel.py", kCandidate);
  const auto plan = make_plan(request_, cpu_);
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_THAT(plan->warnings, ::testing::Contains(HasSubstr("level_1_problem_77_sample_0_kernel.py")));
}

TEST_F(PlanTest, RefusesTwoFilesForTheSameSample) {
  put("candidates/level_1_problem_1_sample_0_kernel.cpp", "// a kernel\n");
  const auto plan = make_plan(request_, cpu_);
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().code, Code::kInvalid);
  EXPECT_THAT(plan.error().message, HasSubstr("level_1_problem_1_sample_0_kernel.cpp"));
}

TEST_F(PlanTest, NamesAFolderThatIsMissing) {
  request_.problems = folder_ / "nowhere";
  const auto plan = make_plan(request_, cpu_);
  ASSERT_FALSE(plan);
  EXPECT_EQ(exit_code_of(plan.error().code), 2);
  EXPECT_THAT(plan.error().message, HasSubstr("nowhere"));
}

TEST_F(PlanTest, RefusesALevelThatIsNoNumber) {
  request_.levels = {"one"};
  EXPECT_THAT(make_plan(request_, cpu_).error().message, HasSubstr("--level: 'one' is no level"));
}

TEST_F(PlanTest, RefusesCandidatesThatMeetNoSelectedProblem) {
  request_.only = {"2"};
  const auto plan = make_plan(request_, cpu_);
  ASSERT_FALSE(plan);
  EXPECT_THAT(plan.error().message, HasSubstr("holds no candidate for any of the 1 selected problems"));
}

}  // namespace
}  // namespace autokernel::client
