#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include "common/protocol/describe.hpp"
#include "tests/unit/judge/runner_harness.hpp"

/// Whole turns on the CPU: a real zygote, judge and candidate process, small problems.
namespace autokernel::judge {
namespace {

using protocol::StageName;
using protocol::StageOutcome;
using protocol::Verdict;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr const char* kLinear = R"(
import torch, torch.nn as nn
batch_size = 6
class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear = nn.Linear(16, width)
    def forward(self, x):
        return torch.relu(self.linear(x))
def get_inputs():
    return [torch.rand(batch_size, 16)]
def get_init_inputs():
    return [8]
)";

/// A candidate for kLinear whose forward has this body; `y` is the right answer.
std::string linear_candidate(const std::string& body, const std::string& head = "") {
  return "import os, signal, time\nimport torch, torch.nn as nn\n" + head + R"(
class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear = nn.Linear(16, width)
        self.calls = 0
    def forward(self, x):
        self.calls += 1
        y = torch.relu(self.linear(x))
)" + "        " +
         body + "\n";
}

protocol::EvaluationOptions quick() {
  protocol::EvaluationOptions options;
  options.timing = false;
  options.trials = 2;
  options.timeout_seconds = 30;
  return options;
}

StageOutcome outcome_of(const protocol::Record& record, StageName name) {
  for (const auto& stage : record.stages) {
    if (stage.name == name) return stage.outcome;
  }
  return StageOutcome::kNotReached;
}

std::string detail_of(const protocol::Record& record, StageName name) {
  for (const auto& stage : record.stages) {
    if (stage.name == name) return stage.detail;
  }
  return "";
}

std::string name_of(Verdict verdict) { return std::string(protocol::name_of(verdict)); }

TEST(JudgeRun, ARightCandidateIsRobustAndTimed) {
  RunnerHarness harness;
  auto options = quick();
  options.timing = true;
  options.samples = 40;
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
  auto options = quick();
  options.timing = true;
  options.samples = 12;
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

TEST(JudgeRun, CheatingInTimedCallsIsFound) {
  RunnerHarness harness;
  auto options = quick();
  options.timing = true;
  options.samples = 20;
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

TEST(JudgeRun, EveryTimedCallHasInputsOfItsOwn) {
  RunnerHarness harness;
  auto options = quick();
  options.timing = true;
  options.samples = 40;
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

struct Memory {
  const char* name;
  const char* key;
};

TEST(JudgeRun, WhatIsRememberedFromCallToCallIsWrong) {
  const Memory memories[] = {
      {"by object", "id(x)"}, {"by address", "x.data_ptr()"}, {"by shape", "x.shape"}, {"once", "0"}};
  RunnerHarness harness;
  auto options = quick();
  options.timing = true;
  options.samples = 20;
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

TEST(JudgeRun, AProblemIsRefusedWhereNothingCanBeCompared) {
  RunnerHarness harness;
  const auto with_forward = [](const std::string& forward) {
    return "import torch, torch.nn as nn\nclass Model(nn.Module):\n    def forward(self, x):\n        " + forward +
           "\ndef get_inputs():\n    return [torch.rand(4, 4)]\ndef get_init_inputs():\n    return []\n";
  };
  EXPECT_THAT(harness.prepare(with_forward("return x.mul_(2)"), quick()).problem_error, IsEmpty())
      << "it returns its input";
  EXPECT_THAT(harness.prepare(with_forward("x.mul_(2); return None"), quick()).problem_error,
              HasSubstr("returns no tensor"));

  // Fine on the first inputs, a NaN on those of the trials: nobody's fault but the problem's.
  const std::string now_and_then =
      "y = x.clone()\n        if torch.initial_seed() != 42: y[0, 0] = float('nan')\n        return y";
  ASSERT_EQ(harness.prepare(with_forward(now_and_then), quick()).problem_error, "");
  const auto record =
      harness.judge("import torch\nclass ModelNew(torch.nn.Module):\n    def forward(self, x): return x.clone()\n")
          .record;
  EXPECT_EQ(name_of(record.verdict), "problem_error") << record.detail;
  EXPECT_THAT(record.detail, HasSubstr("NaN"));
}

TEST(JudgeRun, ProblemsThatFailSayWhatToDo) {
  RunnerHarness harness;
  EXPECT_THAT(harness.prepare("import no_such_package_at_all\n", quick()).problem_error,
              AllOf(HasSubstr("no_such_package_at_all"), HasSubstr("pip install")));
  EXPECT_THAT(harness.prepare("x = 1\n", quick()).problem_error, HasSubstr("defines no class Model"));
  EXPECT_THAT(harness.prepare(std::string(kLinear) + "\ndef get_inputs(): return [torch.empty(1 << 50)]\n", quick())
                  .problem_error,
              HasSubstr("memory"));
  EXPECT_THAT(
      harness.prepare(std::string(kLinear) + "\ndef get_inputs(): return [torch.rand(2, 3)]\n", quick()).problem_error,
      HasSubstr("its forward"));
}

TEST(JudgeRun, TrivialAnswersThatWouldPassAreNamed) {
  RunnerHarness harness;
  const char* problem = R"(
import torch, torch.nn as nn
class Model(nn.Module):
    def forward(self, x):
        return torch.relu(x) * 1e-9
def get_inputs():
    return [torch.rand(4, 4)]
)";
  ASSERT_EQ(harness.prepare(problem, quick()).problem_error, "");
  const auto record =
      harness
          .judge(
              "import torch\nclass ModelNew(torch.nn.Module):\n    def forward(self, x): return torch.relu(x) * 1e-9\n")
          .record;
  EXPECT_THAT(record.vacuous, AllOf(Contains("zeros"), Contains("mean"), Not(Contains("input"))));
}

class JudgeRunState : public ::testing::TestWithParam<std::pair<const char*, const char*>> {};

INSTANTIATE_TEST_SUITE_P(Kinds, JudgeRunState,
                         ::testing::Values(std::pair{"BuffersAndTensors", R"(
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(4)
        self.hidden = torch.zeros(3, 4)
    def forward(self, x):
        self.hidden = self.norm(x) + 0.5 * self.hidden
        return self.hidden
)"},
                                           std::pair{"ACounter", R"(
    def __init__(self):
        super().__init__()
        self.calls = 0
    def forward(self, x):
        self.calls += 1
        return x * self.calls
)"},
                                           std::pair{"AListOfTensors", R"(
    def __init__(self):
        super().__init__()
        self.seen = []
    def forward(self, x):
        self.seen.append(x.clone())
        return torch.stack(self.seen[-3:]).sum(0)
)"},
                                           std::pair{"AGeneratorOfItsOwn", R"(
    def __init__(self):
        super().__init__()
        self.generator = torch.Generator().manual_seed(5)
    def forward(self, x):
        return x + torch.rand(x.shape, generator=self.generator)
)"}),
                         [](const auto& kind) { return kind.param.first; });

TEST_P(JudgeRunState, ThatForwardLeavesBehindIsFollowed) {
  RunnerHarness harness;
  const std::string body = GetParam().second;
  const std::string head = "import torch, torch.nn as nn\n";
  const std::string problem =
      head + "class Model(nn.Module):" + body +
      "\ndef get_inputs():\n    return [torch.rand(3, 4)]\ndef get_init_inputs():\n    return []\n";
  auto options = quick();
  options.timing = true;
  options.samples = 12;
  ASSERT_EQ(harness.prepare(problem, options).problem_error, "");
  for (int turn = 0; turn < 2; ++turn) {
    const auto record = harness.judge(head + "class ModelNew(nn.Module):" + body).record;
    EXPECT_TRUE(record.correct) << record.detail;
    EXPECT_NE(name_of(record.verdict), "cheating") << record.detail;  // a busy machine may void the timing, no more
  }
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

TEST(JudgeRun, WeightsAreCopiedOnRequest) {
  RunnerHarness harness;
  auto options = quick();
  const std::string other_draws =
      "import torch, torch.nn as nn\nclass ModelNew(nn.Module):\n"
      "    def __init__(self, width):\n        super().__init__()\n        torch.rand(3)\n"
      "        self.linear = nn.Linear(16, width)\n"
      "    def forward(self, x): return torch.relu(self.linear(x))\n";
  ASSERT_EQ(harness.prepare(kLinear, options).problem_error, "");
  EXPECT_EQ(name_of(harness.judge(other_draws).record.verdict), "wrong_output");
  options.weights = protocol::WeightSource::kCopy;
  ASSERT_EQ(harness.prepare(kLinear, options).problem_error, "");
  const auto record = harness.judge(other_draws).record;
  EXPECT_EQ(name_of(record.verdict), "robust") << record.detail;
}

TEST(JudgeRun, WeightsAreCopiedBesideExtraStateAndIntoExpandedBuffers) {
  const std::string body = R"(
        self.linear = nn.Linear(16, width)
        self.register_buffer("scale", torch.rand(1).expand(width))
    def get_extra_state(self): return {"version": 3}
    def set_extra_state(self, state): pass
    def forward(self, x): return torch.relu(self.linear(x)) * self.scale
)";
  const auto model = [&](const std::string& name, const std::string& draws) {
    return "import torch, torch.nn as nn\nbatch_size = 6\nclass " + name +
           "(nn.Module):\n    def __init__(self, width):\n        super().__init__()\n        " + draws + body;
  };
  RunnerHarness harness;
  auto options = quick();
  options.weights = protocol::WeightSource::kCopy;
  ASSERT_EQ(harness
                .prepare(model("Model", "pass") + "def get_inputs():\n    return [torch.rand(batch_size, 16)]\ndef "
                                                  "get_init_inputs():\n    return [8]\n",
                         options)
                .problem_error,
            "");
  const auto record = harness.judge(model("ModelNew", "torch.rand(3)")).record;
  EXPECT_EQ(name_of(record.verdict), "robust") << record.detail;
}

TEST(JudgeRun, ADictIsWhatItsKeysSayInWhateverOrder) {
  const auto model = [](const char* name, const char* result) {
    return fmt::format("import torch\nclass {}(torch.nn.Module):\n    def forward(self, x): return {}\n", name, result);
  };
  RunnerHarness harness;
  ASSERT_EQ(
      harness
          .prepare(model("Model", "{'a': x + 1, 'b': x * 2}") + "def get_inputs():\n    return [torch.rand(3, 4)]\n",
                   quick())
          .problem_error,
      "");
  const auto other = harness.judge(model("ModelNew", "{'b': x * 2, 'a': x + 1}")).record;
  EXPECT_EQ(name_of(other.verdict), "robust") << other.detail;
  const auto swapped = harness.judge(model("ModelNew", "{'b': x + 1, 'a': x * 2}")).record;
  EXPECT_EQ(name_of(swapped.verdict), "wrong_output") << swapped.detail;
}

TEST(JudgeRun, AmongEqualsAnyIndexWillDo) {
  const auto model = [](const char* name, const char* result) {
    return fmt::format("import torch\nclass {}(torch.nn.Module):\n    def forward(self, x): return {}\n", name, result);
  };
  RunnerHarness harness;
  ASSERT_EQ(
      harness.prepare(model("Model", "x.argmax(1)") + "def get_inputs():\n    return [torch.rand(3, 40)]\n", quick())
          .problem_error,
      "");
  const auto last = harness.judge(model("ModelNew", "39 - x.flip(1).argmax(1)")).record;
  EXPECT_EQ(name_of(last.verdict), "robust") << last.detail;
}

}  // namespace
}  // namespace autokernel::judge
