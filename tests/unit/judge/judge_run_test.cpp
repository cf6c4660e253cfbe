#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/unit/judge/linear_problem.hpp"
#include "tests/unit/judge/runner_harness.hpp"

/// Whole turns on the CPU: a real zygote, judge and candidate process, small problems.
namespace autokernel::judge {
namespace {

using protocol::StageName;
using protocol::StageOutcome;
using protocol::Verdict;
using ::testing::HasSubstr;

struct WrongCase {
  const char* name;
  const char* body;
  const char* head;
  Verdict verdict;
  const char* words;
};

TEST(JudgeRun, EachWayToBeWrongHasItsVerdictAndWords) {
  const WrongCase cases[] = {
      {"wrong", "return y + 1", "", Verdict::kWrongOutput, "expected"},
      {"one element wrong", "y[1, 2] += 0.5; return y", "", Verdict::kWrongOutput, "first at [1, 2]"},
      {"misshaped", "return y[:, :4]", "", Verdict::kWrongStructure, "the output has shape [6, 4], expected [6, 8]"},
      {"other dtype", "return y.double()", "", Verdict::kWrongStructure,
       "the output has dtype float64, expected float32"},
      {"a tuple", "return (y,)", "", Verdict::kWrongStructure, "the output is a tuple, expected a tensor"},
      {"none", "return None", "", Verdict::kWrongStructure, "the output is None, expected a tensor"},
      {"a subclass", "return y.as_subclass(Lazy)", "class Lazy(torch.Tensor): pass", Verdict::kWrongStructure,
       "subclass"},
      {"not finite", "y[0, 0] = float('inf'); return y", "", Verdict::kWrongOutput,
       "element [0, 0] of the output is not finite"},
      {"raising", "raise ValueError('no such thing')", "", Verdict::kRuntimeError, "ValueError: no such thing"},
      {"not loading", "return y", "import a_package_that_nobody_has", Verdict::kLoadError, "a_package_that_nobody_has"},
      {"out of memory", "return torch.empty(1 << 50)", "", Verdict::kOutOfMemory, "memory"},
      {"crashing", "os.kill(os.getpid(), signal.SIGSEGV)", "", Verdict::kCrashed, "ended during forward"},
      {"leaving", "os._exit(0)", "", Verdict::kCrashed, "ended during forward"},
  };
  RunnerHarness harness;
  ASSERT_EQ(harness.prepare(kLinear, quick()).problem_error, "");
  for (const WrongCase& wrong : cases) {
    SCOPED_TRACE(wrong.name);
    const auto judged = harness.judge(linear_candidate(wrong.body, wrong.head));
    EXPECT_EQ(name_of(judged.record.verdict), name_of(wrong.verdict)) << judged.record.detail;
    EXPECT_THAT(judged.record.detail, HasSubstr(wrong.words));
    EXPECT_FALSE(judged.record.correct);
    EXPECT_FALSE(judged.judge_is_spent);
    EXPECT_EQ(judged.candidate_vanished, wrong.verdict == Verdict::kCrashed);
    EXPECT_EQ(harness.stages().size(), 5U);
    EXPECT_EQ(outcome_of(judged.record, StageName::kEdges), StageOutcome::kNotReached);
  }
  // The judge has seen all that and still works.
  EXPECT_EQ(name_of(harness.judge(linear_candidate("return y")).record.verdict), "robust");
}

TEST(JudgeRun, AHangEndsAtTheTimeLimit) {
  RunnerHarness harness;
  auto options = quick();
  options.timeout_seconds = 4;
  ASSERT_EQ(harness.prepare(kLinear, options).problem_error, "");
  const auto record = harness.judge(linear_candidate("while True: pass")).record;
  EXPECT_EQ(name_of(record.verdict), "timeout");
  EXPECT_THAT(record.detail, HasSubstr("within the limit of 4 s"));
}

TEST(JudgeRun, LaterStagesFindWhatTheSweepDoesNot) {
  const struct {
    const char* name;
    const char* body;
    Verdict verdict;
    const char* words;
  } cases[] = {
      {"overflowing", "return torch.log(torch.exp(y * 4)) / 4", Verdict::kUnstable, "inputs scaled up"},
      {"nondeterministic", "return y + 1e-6 * int.from_bytes(os.urandom(1), 'little') / 256",
       Verdict::kNondeterministic, "differ by"},
      {"in place", "x.mul_(2); return y", Verdict::kNondeterministic, "changes its input 0 in place"},
      {"ignoring strides", "return torch.relu(self.linear(x.as_strided(x.shape, (16, 1))))", Verdict::kEdgeFailure,
       "padded inputs"},
  };
  RunnerHarness harness;
  ASSERT_EQ(harness.prepare(kLinear, quick()).problem_error, "");
  for (const auto& later : cases) {
    SCOPED_TRACE(later.name);
    const auto record = harness.judge(linear_candidate(later.body)).record;
    EXPECT_EQ(name_of(record.verdict), name_of(later.verdict)) << record.detail;
    EXPECT_THAT(record.detail, HasSubstr(later.words));
    EXPECT_TRUE(record.correct);
    EXPECT_FALSE(record.robust);
  }
}

TEST(JudgeRun, ACrashInALaterStageCostsOnlyThatStage) {
  RunnerHarness harness;
  const auto options = quick_with_samples(12);
  ASSERT_EQ(harness.prepare(kLinear, options).problem_error, "");
  const auto record = harness
                          .judge(linear_candidate(
                              "if float(x.abs().max()) == 0: os.kill(os.getpid(), signal.SIGSEGV)\n        return y"))
                          .record;
  EXPECT_EQ(name_of(record.verdict), "unstable") << record.detail;
  EXPECT_THAT(record.detail, HasSubstr("inputs all zero"));
  EXPECT_TRUE(record.correct);
  EXPECT_EQ(outcome_of(record, StageName::kDeterminism), StageOutcome::kPassed);
  EXPECT_EQ(outcome_of(record, StageName::kEdges), StageOutcome::kPassed);
  EXPECT_TRUE(record.timing.has_value());
  EXPECT_EQ(harness.fresh_candidates(), 1);
}

TEST(JudgeRun, OnlyTheStagesThatWereAskedFor) {
  RunnerHarness harness;
  auto options = quick();
  options.stages = protocol::StageSet::kCorrect;
  ASSERT_EQ(harness.prepare(kLinear, options).problem_error, "");
  const auto record = harness.judge(linear_candidate("return y")).record;
  EXPECT_EQ(name_of(record.verdict), "correct");
  EXPECT_EQ(outcome_of(record, StageName::kStability), StageOutcome::kSkipped);
  EXPECT_EQ(detail_of(record, StageName::kStability), "not asked for");
  EXPECT_FALSE(record.robust);
}

TEST(JudgeRun, AnotherBatchIsReportedAndNotRequired) {
  RunnerHarness harness;
  ASSERT_EQ(harness.prepare(kLinear, quick()).problem_error, "");
  const auto right = harness.judge(linear_candidate("return y")).record;
  EXPECT_THAT(detail_of(right, StageName::kEdges), HasSubstr("batch 4: right"));
  const auto fixed = harness.judge(linear_candidate("assert x.shape[0] == 6; return y")).record;
  EXPECT_EQ(name_of(fixed.verdict), "robust") << fixed.detail;
  EXPECT_THAT(detail_of(fixed, StageName::kEdges), HasSubstr("batch 4: forward: AssertionError"));
}

TEST(JudgeRun, AnHonestKernelThatIsMoreExactThanTheReferencePassesByFloat64) {
  RunnerHarness harness;
  // The reference rounds its weights to bfloat16, as TF32 would round them to fewer bits.
  const char* problem = R"(
import torch, torch.nn as nn
class Model(nn.Module):
    def forward(self, a, b):
        if a.dtype == torch.float64:
            return a @ b
        return a.bfloat16().float() @ b
def get_inputs():
    return [torch.rand(32, 256), torch.rand(256, 8)]
)";
  ASSERT_EQ(harness.prepare(problem, quick()).problem_error, "");
  const auto exact =
      harness.judge("import torch\nclass ModelNew(torch.nn.Module):\n    def forward(self, a, b): return a @ b\n")
          .record;
  EXPECT_TRUE(exact.correct) << exact.detail;
  EXPECT_EQ(exact.rule, "float64");
  EXPECT_GT(exact.max_difference.value_or(0), 1e-3);
  const auto sloppy =
      harness
          .judge("import torch\nclass ModelNew(torch.nn.Module):\n    def forward(self, a, b): return (a @ b) * 1.02\n")
          .record;
  EXPECT_EQ(name_of(sloppy.verdict), "wrong_output") << sloppy.detail;
  EXPECT_THAT(sloppy.detail, HasSubstr("against float64"));
}

TEST(JudgeRun, IntegersTuplesAndPlainValuesAreComparedToo) {
  RunnerHarness harness;
  const char* problem = R"(
import torch, torch.nn as nn
class Model(nn.Module):
    def forward(self, ids, x, scale):
        return {"best": x.argmax(dim=1), "parts": (x * scale, ids + 1), "count": 3}
def get_inputs():
    return [torch.randint(0, 9, (5,)), torch.rand(5, 7), 2.5]
)";
  ASSERT_EQ(harness.prepare(problem, quick()).problem_error, "");
  const std::string head =
      "import torch\nclass ModelNew(torch.nn.Module):\n    def forward(self, ids, x, scale):\n        return ";
  const auto right =
      harness.judge(head + "{'best': x.argmax(dim=1), 'parts': (x * scale, ids + 1), 'count': 3}\n").record;
  EXPECT_EQ(name_of(right.verdict), "robust") << right.detail;
  const auto off =
      harness.judge(head + "{'best': x.argmax(dim=1), 'parts': (x * scale, ids + 2), 'count': 3}\n").record;
  EXPECT_EQ(name_of(off.verdict), "wrong_output");
  EXPECT_THAT(off.detail, HasSubstr("output['parts'][1]"));
  const auto count =
      harness.judge(head + "{'best': x.argmax(dim=1), 'parts': (x * scale, ids + 1), 'count': 4}\n").record;
  EXPECT_EQ(name_of(count.verdict), "wrong_structure");
  EXPECT_THAT(count.detail, HasSubstr("output['count'] is 4, expected 3"));
}

TEST(JudgeRun, ANativeCandidateGetsDenseTensorsAndTheReferencesWeights) {
  RunnerHarness harness;
  ASSERT_EQ(harness.prepare(kLinear, quick()).problem_error, "");
  const char* source = R"(
#include <autokernel/kernel.h>
AUTOKERNEL_KERNEL(const AutokernelCall* call) {
  const AutokernelTensor& x = call->inputs[0].tensor;
  const float* weight = static_cast<const float*>(call->weights[0].data);
  const float* bias = static_cast<const float*>(call->weights[1].data);
  for (int64_t row = 0; row < x.shape[0]; ++row) {
    for (int64_t out = 0; out < 8; ++out) {
      float sum = bias[out];
      for (int64_t in = 0; in < 16; ++in) sum += static_cast<const float*>(x.data)[row * 16 + in] * weight[out * 16 + in];
      static_cast<float*>(call->outputs[0].data)[row * 8 + out] = LIMIT;
    }
  }
  return 0;
}
)";
  const auto built = [&](const std::string& name, const std::string& limit) {
    const auto folder = harness.folder() / name;
    std::filesystem::create_directory(folder);
    std::ofstream(folder / "kernel.cpp") << source;
    const std::string command = "c++ -O1 -shared -fPIC -D'LIMIT=" + limit + "' -I" AUTOKERNEL_INCLUDE " -o " +
                                (folder / "kernel.so").string() + " " + (folder / "kernel.cpp").string();
    EXPECT_EQ(std::system(command.c_str()), 0);
    return folder.string();
  };
  const auto right = harness.judge_native(built("right", "sum > 0 ? sum : 0")).record;
  EXPECT_EQ(name_of(right.verdict), "robust") << right.detail;
  const auto wrong = harness.judge_native(built("wrong", "sum")).record;
  EXPECT_EQ(name_of(wrong.verdict), "wrong_output") << wrong.detail;
}

TEST(JudgeRun, RequireCustomRefusesNobodyWhereLaunchesCannotBeSeen) {
  // The CPU has no record of launches: an honest candidate must not pay for that.
  RunnerHarness harness;
  auto options = quick();
  options.require_custom = true;
  ASSERT_EQ(harness.prepare(kLinear, options).problem_error, "");
  const auto record = harness.judge(linear_candidate("return y")).record;
  EXPECT_EQ(name_of(record.verdict), "robust") << record.detail;
  EXPECT_FALSE(record.kernels);
}

TEST(JudgeRun, ADictIsWhatItsKeysSayInWhateverOrder) {
  RunnerHarness harness;
  ASSERT_EQ(harness
                .prepare(model_returning("Model", "{'a': x + 1, 'b': x * 2}") +
                             "def get_inputs():\n    return [torch.rand(3, 4)]\n",
                         quick())
                .problem_error,
            "");
  const auto other = harness.judge(model_returning("ModelNew", "{'b': x * 2, 'a': x + 1}")).record;
  EXPECT_EQ(name_of(other.verdict), "robust") << other.detail;
  const auto swapped = harness.judge(model_returning("ModelNew", "{'b': x + 1, 'a': x * 2}")).record;
  EXPECT_EQ(name_of(swapped.verdict), "wrong_output") << swapped.detail;
}

TEST(JudgeRun, AmongEqualsAnyIndexWillDo) {
  RunnerHarness harness;
  ASSERT_EQ(
      harness
          .prepare(model_returning("Model", "x.argmax(1)") + "def get_inputs():\n    return [torch.rand(3, 40)]\n",
                   quick())
          .problem_error,
      "");
  const auto last = harness.judge(model_returning("ModelNew", "39 - x.flip(1).argmax(1)")).record;
  EXPECT_EQ(name_of(last.verdict), "robust") << last.detail;
}

}  // namespace
}  // namespace autokernel::judge
