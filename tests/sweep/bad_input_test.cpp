#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/support/machine.hpp"
#include "tests/sweep/small_problems.hpp"

namespace autokernel::test {
namespace {

using protocol::Verdict;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::SizeIs;

/// Each wrong thing gets one message that names it and says what to do, and its exit code.
class BadInput : public ::testing::Test {
 protected:
  BadInput() {
    place_.use_fake_runner();
    put_problems(place_, 2);
  }

  void expect_refused(const CallResult& result, int code, const std::vector<std::string>& words) {
    EXPECT_EQ(result.status.code, code) << result.errors;
    EXPECT_EQ(result.output, "");
    for (const std::string& word : words) EXPECT_THAT(result.errors, HasSubstr(word));
  }

  Workplace place_;
};

TEST_F(BadInput, AMissingProblemsFolder) {
  expect_refused(place_.call({"sweep", "--problems", "nowhere", "--candidates", "candidates"}), 2, {"nowhere"});
}

TEST_F(BadInput, AnEmptyProblemsFolder) {
  std::filesystem::create_directories(place_ / "empty");
  expect_refused(place_.call({"sweep", "--problems", "empty", "--candidates", "candidates"}), 2, {"empty"});
}

TEST_F(BadInput, AMissingCandidatesFolder) {
  expect_refused(place_.call({"sweep", "--problems", "problems", "--candidates", "nowhere"}), 2, {"nowhere"});
}

TEST_F(BadInput, OwnProblemsWithoutCandidates) {
  expect_refused(place_.call({"sweep", "--problems", "problems"}), 2, {"--candidates is missing", "'problems'"});
}

TEST_F(BadInput, AnOptionsTypo) {
  expect_refused(place_.call({"sweep", "--porblems", "x"}), 2, {"unknown option --porblems; did you mean --problems?"});
}

TEST_F(BadInput, ACommandsTypo) {
  expect_refused(place_.call({"swep"}), 2, {"unknown command 'swep'; did you mean sweep?"});
}

TEST_F(BadInput, AValuesTypo) {
  expect_refused(place_.call({"sweep", "--precision", "fp61"}), 2, {"--precision", "'fp61'", "did you mean fp16?"});
}

TEST_F(BadInput, ATypoInTheSettingsFile) {
  place_.put("autokernel.toml", "# mine\n[sweep]\ntrails = 3\n");
  expect_refused(place_.call(small_sweep()), 2,
                 {"autokernel.toml, line 3: unknown key 'trails'; did you mean trials?"});
}

TEST_F(BadInput, ATypoInAVariableIsAWarning) {
  place_.set("AUTOKERNEL_TRAILS", "3");
  place_.set("AUTOKERNEL_WORKER_CACHE_LIMT", "3");
  const auto result = place_.call(small_sweep());
  EXPECT_EQ(result.status.code, 0) << result.errors;
  EXPECT_THAT(result.errors, AllOf(HasSubstr("AUTOKERNEL_TRAILS is unknown"), HasSubstr("mean AUTOKERNEL_TRIALS?"),
                                   HasSubstr("did you mean AUTOKERNEL_WORKER_CACHE_LIMIT?")));
  EXPECT_THAT(result.errors, ::testing::Not(HasSubstr("AUTOKERNEL_COORDINATOR")));
}

TEST_F(BadInput, ASelectionThatMeetsNothing) { expect_refused(place_.call(small_sweep({"--only", "77"})), 2, {"77"}); }

TEST_F(BadInput, ADeviceThatIsNotThere) {
  auto arguments = small_sweep({"--devices", "cuda:77"});
  expect_refused(place_.call(arguments), 2, {"cuda:77"});
  expect_refused(
      place_.call({"eval", "problems/" + problem_file(1), "candidates/" + candidate_file(1), "--devices", "cuda:77"}),
      2, {"autokernel eval: --devices: cuda:77 is not on this machine"});
}

TEST_F(BadInput, TwoFilesForTheSameSample) {
  place_.put("candidates/level1/1_p.py", kSmallCandidate);
  expect_refused(place_.call(small_sweep()), 2, {candidate_file(1), "level1/1_p.py"});
}

TEST_F(BadInput, ARunWithOtherOptionsLeavesItsResultsUntouched) {
  ASSERT_EQ(place_.call(small_sweep()).status.code, 0);
  const std::string before = place_.text_of("run/results.jsonl");
  expect_refused(place_.call(small_sweep({"--trials", "9"})), 2, {"'run'", "trials: 5 then, 9 now", "--out"});
  EXPECT_EQ(place_.text_of("run/results.jsonl"), before);
}

TEST_F(BadInput, ARunOfANewerVersion) {
  place_.put("run/run.toml", "schema = 99\n");
  expect_refused(place_.call(small_sweep()), 2, {"run/run.toml", "newer autokernel (schema 99"});
}

TEST_F(BadInput, AFolderThatIsNoRun) {
  place_.put("run/notes.txt", "mine");
  expect_refused(place_.call(small_sweep()), 2, {"'run' is no run folder", "notes.txt"});
}

TEST_F(BadInput, ARunThatAnotherSweepWorksOn) {
  put_problems(place_, 200);
  system::ChildProcess first = place_.start(small_sweep());
  ASSERT_TRUE(wait_for_verdicts(place_ / "run/results.jsonl", 1, first));
  const auto second =
      place_.call(small_sweep());  // overwrites stdout.txt and stderr.txt of the first, which nobody reads
  EXPECT_EQ(second.status.code, 3);
  EXPECT_THAT(second.errors, HasSubstr(fmt::format("'run' is in use by another autokernel (process {})", first.pid())));
  first.stop(std::chrono::seconds(10));
}

TEST_F(BadInput, NoRedisServer) {
  // A PATH without it; the shell and our own programs are named by their whole paths.
  place_.set("PATH", (place_ / "empty").string());
  const auto result = place_.call(small_sweep());
  EXPECT_EQ(result.status.code, 3);
  EXPECT_THAT(result.errors,
              HasSubstr("redis-server is not installed: run scripts/setup, or: apt-get install redis-server"));
}

TEST_F(BadInput, ARunnerThatCannotWorkGivesItsReason) {
  place_.set("FAKE_RUNNER", "unfit");
  const auto result = place_.call(small_sweep());
  EXPECT_EQ(result.status.code, 3);
  EXPECT_THAT(result.errors, HasSubstr("torch is not installed: run scripts/setup"));
  EXPECT_THAT(result.errors, HasSubstr("run the same command again to resume"));
}

TEST_F(BadInput, AProblemThatDoesNotParseIsAVerdictOfItsOwn) {
  place_.put("problems/" + problem_file(1), "there is no model here\n");
  ASSERT_EQ(place_.call(small_sweep()).status.code, 0);
  const auto verdicts = verdicts_in(place_ / "run/results.jsonl");
  ASSERT_THAT(verdicts, SizeIs(2));
  EXPECT_EQ(verdicts.at(problem_file(1) + " " + candidate_file(1)).verdict, Verdict::kProblemError);
  EXPECT_EQ(verdicts.at(problem_file(2) + " " + candidate_file(2)).verdict, Verdict::kRobust);
}

TEST_F(BadInput, AHugeCandidateIsAVerdictOfItsOwn) {
  place_.put("candidates/" + candidate_file(1), std::string(5U << 20U, 'x'));
  ASSERT_EQ(place_.call(small_sweep()).status.code, 0);
  const auto verdicts = verdicts_in(place_ / "run/results.jsonl");
  ASSERT_THAT(verdicts, SizeIs(2));
  EXPECT_EQ(verdicts.at(problem_file(1) + " " + candidate_file(1)).verdict, Verdict::kLoadError);
}

TEST_F(BadInput, AnUnreadableCandidateIsAVerdictOfItsOwn) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read every file";
  std::filesystem::permissions(place_ / ("candidates/" + candidate_file(1)), std::filesystem::perms::none);
  ASSERT_EQ(place_.call(small_sweep()).status.code, 0);
  EXPECT_EQ(verdicts_in(place_ / "run/results.jsonl").at(problem_file(1) + " " + candidate_file(1)).verdict,
            Verdict::kLoadError);
}

TEST_F(BadInput, ACandidateForNoProblemIsAWarning) {
  place_.put("candidates/level_1_problem_77_sample_0_kernel.py", kSmallCandidate);
  const auto result = place_.call(small_sweep());
  EXPECT_EQ(result.status.code, 0);
  EXPECT_THAT(result.errors, AllOf(HasSubstr("warning: "), HasSubstr("level_1_problem_77_sample_0_kernel.py")));
}

TEST_F(BadInput, EvalOfAFileThatIsNotThere) {
  expect_refused(place_.call({"eval", "nowhere.py", "candidates/" + candidate_file(1)}), 2, {"nowhere.py"});
}

TEST_F(BadInput, EvalOfACandidateOfAnUnknownKind) {
  place_.put("kernel.txt", "x");
  expect_refused(place_.call({"eval", "problems/" + problem_file(1), "kernel.txt"}), 2, {"kernel.txt"});
}

TEST_F(BadInput, ScoreOfNothing) {
  expect_refused(place_.call({"score", "nowhere"}), 2, {"'nowhere' is not there"});
  expect_refused(place_.call({"score", "problems"}), 2, {"'problems' is no run folder"});
}

TEST_F(BadInput, AWrongPathOfABaseline) {
  place_.put("eval_results.json", "{}");
  place_.put("folder/notes.txt", "mine");
  const auto score_by = [&](const char* path) {
    return place_.call({"score", "eval_results.json", "--baseline", path});
  };
  expect_refused(score_by("nowhere.json"), 2, {"--baseline: 'nowhere.json' is not there"});
  expect_refused(score_by("eval_results.json/x"), 2, {"--baseline: 'eval_results.json/x' is not there"});
  expect_refused(score_by("folder"), 2, {"--baseline: 'folder' is a folder", "folder/baseline_time_torch.json"});
}

TEST_F(BadInput, AFolderForABaselinesFile) {
  place_.put("folder/notes.txt", "mine");
  expect_refused(place_.call({"baseline", "--problems", "problems", "--out", "folder"}), 2,
                 {"--out: 'folder' is a folder", "a run folder is named by --run"});
}

TEST_F(BadInput, ScoreOfAFileThatIsNotKernelBenchs) {
  place_.put("eval_results.json", "{\"1\": 7}");
  place_.put("baseline.json", "{\"level1\": {\"1_p.py\": {\"mean\": 1.0}}}");
  expect_refused(place_.call({"score", "eval_results.json", "--baseline", "baseline.json"}), 2, {"eval_results.json"});
}

TEST_F(BadInput, ScoreOfAFileInARunFolderIsToldOfTheFolder) {
  place_.put("run/run.toml", "schema = 1\n");
  place_.put("run/results.tsv", "experiment\ttag\n");
  place_.put("run/results.jsonl", "{}\n{}\n");
  place_.put("run/eval_results.json", "{}");
  for (const char* file : {"run/results.tsv", "run/results.jsonl", "run/eval_results.json"}) {
    expect_refused(place_.call({"score", file}), 2, {file, "autokernel score run\n"});
  }
  place_.put("results.tsv", "experiment\ttag\n");
  expect_refused(place_.call({"score", "results.tsv"}), 2, {"results.tsv", "no column"});
}

TEST_F(BadInput, StatusOfNothing) { expect_refused(place_.call({"status"}), 2, {"there is no run in 'runs'"}); }

TEST_F(BadInput, StatusOfAFile) {
  place_.put("notes.txt", "mine");
  expect_refused(place_.call({"status", "notes.txt"}), 2, {"'notes.txt' is a file, not a run folder"});
}

TEST_F(BadInput, ASandboxThatMustBeThereWhereNoneIs) {
  ASSERT_EQ(place_.call(small_sweep()).status.code, 0);
  const std::string before = place_.text_of("run/results.jsonl");
  expect_refused(place_.call(small_sweep({"--sandbox", "require"})), 2, {"--sandbox require", "--sandbox best"});
  expect_refused(
      place_.call({"eval", "problems/" + problem_file(1), "candidates/" + candidate_file(1), "--sandbox", "require"}),
      2, {"--sandbox require", "--sandbox best"});
  EXPECT_EQ(place_.text_of("run/results.jsonl"), before);
}

TEST_F(BadInput, AnEndpointThatIsNone) {
  expect_refused(place_.call(small_sweep({"--connect", "garbage"})), 2, {"endpoint 'garbage'", "give one like tcp://"});
}

TEST_F(BadInput, ABaselineFileWhoseFolderIsMissingIsRefusedBeforeTheTiming) {
  expect_refused(place_.call({"baseline", "--problems", "problems", "--devices", "cpu", "--run", "run", "--out",
                              "nowhere/baseline.json"}),
                 2, {"--out: 'nowhere/baseline.json' cannot be written", "create the folder"});
  EXPECT_FALSE(std::filesystem::exists(place_ / "run"));
}

}  // namespace
}  // namespace autokernel::test
