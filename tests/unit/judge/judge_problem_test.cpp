#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "tests/unit/judge/linear_problem.hpp"
#include "tests/unit/judge/runner_harness.hpp"

/// What a reference may do, in whole turns on the CPU: fail, remember, draw its weights otherwise.
namespace autokernel::judge {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(JudgeProblem, AProblemIsRefusedWhereNothingCanBeCompared) {
  RunnerHarness harness;
  const auto with_forward = [](const std::string& forward) {
    return "import torch, torch.nn as nn\nclass Model(nn.Module):\n    def forward(self, x):\n        " + forward +
           "\ndef get_inputs():\n    return [torch.rand(4, 4)]\ndef get_init_inputs():\n    return []\n";
  };
  EXPECT_THAT(harness.prepare(with_forward("return x.mul_(2)"), quick()).problem_error, IsEmpty())
      << "it returns its input";
  EXPECT_THAT(harness.prepare(with_forward("x.mul_(2); return None"), quick()).problem_error,
              HasSubstr("nothing but None"));
  EXPECT_THAT(harness.prepare(with_forward("return [None, (None,)]"), quick()).problem_error,
              HasSubstr("nothing but None"));
  EXPECT_THAT(harness.prepare(with_forward("return x.sum().item()"), quick()).problem_error, IsEmpty())
      << "a number is something";

  // Fine on the first inputs, a NaN on those of the trials: nobody's fault but the problem's.
  const std::string now_and_then =
      "y = x.clone()\n        if torch.initial_seed() != 42: y[0, 0] = float('nan')\n        return y";
  ASSERT_EQ(harness.prepare(with_forward(now_and_then), quick()).problem_error, "");
  const auto record = harness.judge(model_returning("ModelNew", "x.clone()")).record;
  EXPECT_EQ(name_of(record.verdict), "problem_error") << record.detail;
  EXPECT_THAT(record.detail, HasSubstr("NaN"));
}

TEST(JudgeProblem, ProblemsThatFailSayWhatToDo) {
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

TEST(JudgeProblem, TrivialAnswersThatWouldPassAreNamed) {
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

class JudgeProblemState : public ::testing::TestWithParam<std::pair<const char*, const char*>> {};

INSTANTIATE_TEST_SUITE_P(Kinds, JudgeProblemState,
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

TEST_P(JudgeProblemState, ThatForwardLeavesBehindIsFollowed) {
  RunnerHarness harness;
  const std::string body = GetParam().second;
  const std::string head = "import torch, torch.nn as nn\n";
  const std::string problem =
      head + "class Model(nn.Module):" + body +
      "\ndef get_inputs():\n    return [torch.rand(3, 4)]\ndef get_init_inputs():\n    return []\n";
  const auto options = quick_with_samples(12);
  ASSERT_EQ(harness.prepare(problem, options).problem_error, "");
  for (int turn = 0; turn < 2; ++turn) {
    const auto record = harness.judge(head + "class ModelNew(nn.Module):" + body).record;
    EXPECT_TRUE(record.correct) << record.detail;
    EXPECT_NE(name_of(record.verdict), "cheating") << record.detail;  // a busy machine may void the timing, no more
  }
}

TEST(JudgeProblem, WeightsAreCopiedOnRequest) {
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

TEST(JudgeProblem, WeightsAreCopiedBesideExtraStateAndIntoExpandedBuffers) {
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

}  // namespace
}  // namespace autokernel::judge
