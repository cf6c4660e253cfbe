#pragma once

#include <string>

#include "tests/sweep/client_process.hpp"

namespace autokernel::test {

inline constexpr const char* kSmallProblem = R"(import torch

batch_size = 16


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x)


def get_inputs():
    return [torch.rand(batch_size, 8)]


def get_init_inputs():
    return []
)";

inline constexpr const char* kSmallCandidate = R"(import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return torch.clamp(x, min=0)
)";

/// "problems/level1/1_p.py" and so on, and one candidate for each in "candidates".
void put_problems(const Workplace& place, int count, const std::string& candidate_text = kSmallCandidate);

[[nodiscard]] std::string problem_file(int number);    ///< "level1/1_p.py"
[[nodiscard]] std::string candidate_file(int number);  ///< "level_1_problem_1_sample_0_kernel.py"

/// The options that name what put_problems() wrote, for a run in "run".
[[nodiscard]] std::vector<std::string> small_sweep(const std::vector<std::string>& more = {});

}  // namespace autokernel::test
