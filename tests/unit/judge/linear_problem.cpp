#include "tests/unit/judge/linear_problem.hpp"

#include <fmt/format.h>

#include "common/protocol/describe.hpp"

namespace autokernel::judge {

using protocol::StageName;
using protocol::StageOutcome;
using protocol::Verdict;

const char* const kLinear = R"(
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

std::string linear_candidate(const std::string& body, const std::string& head) {
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

protocol::EvaluationOptions quick_with_samples(std::int64_t samples) {
  auto options = quick();
  options.timing = true;
  options.samples = samples;
  return options;
}

std::string model_returning(const std::string& class_name, const std::string& result) {
  return fmt::format("import torch\nclass {}(torch.nn.Module):\n    def forward(self, x): return {}\n", class_name,
                     result);
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

}  // namespace autokernel::judge
