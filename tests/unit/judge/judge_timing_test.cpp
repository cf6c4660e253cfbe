#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>

#include "tests/unit/judge/linear_problem.hpp"
#include "tests/unit/judge/runner_harness.hpp"

/// The timing of whole turns on the CPU, and those who cheat in it.
namespace autokernel::judge {
namespace {

using protocol::StageName;
using ::testing::IsEmpty;

TEST(JudgeTiming, ARightCandidateIsRobustAndTimed) {
  RunnerHarness harness;
  const auto options = quick_with_samples(40);
  const auto prepared = harness.prepare(kLinear, options);
  ASSERT_EQ(prepared.problem_error, "");
  const auto record = harness.judge(linear_candidate("return y")).record;
  EXPECT_EQ(name_of(record.verdict), "robust") << record.detail;
  EXPECT_TRUE(record.correct);
  EXPECT_TRUE(record.robust);
  EXPECT_EQ(record.trials, 2);
  EXPECT_EQ(record.trials_passed, 2);
  EXPECT_EQ(record.rule, "allclose");
  EXPECT_EQ(record.max_difference, 0);
  EXPECT_EQ(harness.stages().size(), 6U);
  EXPECT_THAT(record.vacuous, IsEmpty());
  ASSERT_TRUE(record.timing.has_value()) << detail_of(record, StageName::kTiming);
  EXPECT_EQ(record.timing->method, "cpu_clock");
  EXPECT_GE(record.timing->candidate_us->samples, 40);
  EXPECT_EQ(record.timing->candidate_samples_us.size(), record.timing->reference_samples_us.size());
  ASSERT_TRUE(record.timing->speedup.has_value());
  EXPECT_LT(record.timing->speedup->low, record.timing->speedup->high);
  EXPECT_GT(record.timing->speedup->median, 0);
  EXPECT_TRUE(record.phases.contains("candidate_forward"));
  EXPECT_TRUE(record.phases.contains("timing_reference"));
  EXPECT_TRUE(record.phases.contains("gpu_seconds"));

  const auto baseline = harness.time_reference().record;
  EXPECT_EQ(name_of(baseline.verdict), "timed");
  ASSERT_TRUE(baseline.timing.has_value());
  EXPECT_FALSE(baseline.timing->candidate_us.has_value());
  EXPECT_GE(baseline.timing->reference_us.samples, 40);
}

TEST(JudgeTiming, CheatingInTimedCallsIsFound) {
  RunnerHarness harness;
  const auto options = quick_with_samples(20);
  ASSERT_EQ(harness.prepare(kLinear, options).problem_error, "");
  // Stages and probe take about twenty calls; from then on it returns what it has computed before.
  const auto record = harness
                          .judge(linear_candidate(
                              "if self.calls > 22: return self.old\n        self.old = y.clone()\n        return y"))
                          .record;
  EXPECT_EQ(name_of(record.verdict), "cheating") << record.detail;
  EXPECT_EQ(record.cheating_kind, "timed_output");
  EXPECT_FALSE(record.correct);
  EXPECT_FALSE(record.timing.has_value());
}

TEST(JudgeTiming, EveryTimedCallHasInputsOfItsOwn) {
  RunnerHarness harness;
  const auto options = quick_with_samples(40);
  ASSERT_EQ(harness.prepare(kLinear, options).problem_error, "");
  const auto log = harness.folder() / "calls";
  const auto record =
      harness
          .judge(linear_candidate(fmt::format(
              "print(x.data_ptr(), x.double().sum().item(), file=open('{}', 'a')); return y", log.string())))
          .record;
  ASSERT_EQ(name_of(record.verdict), "robust") << record.detail;
  ASSERT_TRUE(record.timing);
  const auto timed = static_cast<std::size_t>(record.timing->candidate_us->samples);
  std::vector<std::pair<std::string, std::string>> calls;
  std::ifstream file(log);
  for (std::string place, sum; file >> place >> sum;) calls.emplace_back(place, sum);
  ASSERT_GT(calls.size(), timed);
  // The edges come after the timing; how many calls they make is their business.
  std::map<std::string, std::vector<std::size_t>> by_value;
  for (std::size_t i = 0; i < calls.size(); ++i) by_value[calls[i].second].push_back(i);
  const auto once =
      std::count_if(by_value.begin(), by_value.end(), [](const auto& uses) { return uses.second.size() == 1; });
  EXPECT_GE(static_cast<std::size_t>(once), timed);
  int repeated = 0;
  for (std::size_t i = 1; i < calls.size(); ++i) {
    if (calls[i].first == calls[i - 1].first && by_value[calls[i].second].size() == 1) ++repeated;
  }
  EXPECT_LE(repeated, 10) << "neighbouring calls of a block have other addresses, too";
}

TEST(JudgeTiming, NobodyFindsTheInputsOfALaterCall) {
  RunnerHarness harness;
  ASSERT_EQ(harness.prepare(kLinear, quick_with_samples(40)).problem_error, "");
  const auto log = harness.folder() / "found";
  // Every argument of every call of the block is an object of this process.
  const auto record =
      harness
          .judge(linear_candidate(
              fmt::format("if not hasattr(self, 'seen'): self.seen = set()\n"
                          "        mine = x.double().sum().item()\n"
                          "        print(int(mine in self.seen), file=open('{}', 'a'))\n"
                          "        for item in gc.get_objects():\n"
                          "            if type(item) is tuple and len(item) == 1 and "
                          "type(item[0]) is torch.Tensor and item[0] is not x and item[0].shape == x.shape:\n"
                          "                self.seen.add(item[0].double().sum().item())\n"
                          "        return y",
                          log.string()),
              "import gc\n"))
          .record;
  ASSERT_EQ(name_of(record.verdict), "robust") << record.detail;
  ASSERT_TRUE(record.timing);
  int calls = 0;
  int found = 0;
  std::ifstream file(log);
  for (int seen = 0; file >> seen; ++calls) found += seen;
  EXPECT_GT(calls, record.timing->candidate_us->samples);
  // The call of each block that is not counted keeps its inputs, and stages repeat theirs.
  EXPECT_LT(found, 12) << "of " << calls;
}

TEST(JudgeTiming, ALateSignIsComputedByTheCall) {
  RunnerHarness harness;
  ASSERT_EQ(harness.prepare(kLinear, quick_with_samples(20)).problem_error, "");
  for (const char* result : {"torch._neg_view(-y)", "torch._neg_view(-y).view_as(y)"}) {
    const auto record = harness.judge(linear_candidate(std::string("return ") + result)).record;
    EXPECT_EQ(name_of(record.verdict), "robust") << record.detail;
    EXPECT_TRUE(record.timing);
  }
}

struct Memory {
  const char* name;
  const char* key;
};

TEST(JudgeTiming, WhatIsRememberedFromCallToCallIsWrong) {
  const Memory memories[] = {
      {"by object", "id(x)"}, {"by address", "x.data_ptr()"}, {"by shape", "x.shape"}, {"once", "0"}};
  RunnerHarness harness;
  const auto options = quick_with_samples(20);
  ASSERT_EQ(harness.prepare(kLinear, options).problem_error, "");
  for (const Memory& memory : memories) {
    SCOPED_TRACE(memory.name);
    const std::string body = fmt::format(
        "key = {}\n        if key in self.results: return self.results[key].clone()\n"
        "        self.results[key] = y\n        return y",
        memory.key);
    const auto record =
        harness.judge(linear_candidate("if not hasattr(self, 'results'): self.results = {}\n        " + body)).record;
    EXPECT_FALSE(record.correct) << name_of(record.verdict);
    EXPECT_FALSE(record.timing);
  }
}

}  // namespace
}  // namespace autokernel::judge
