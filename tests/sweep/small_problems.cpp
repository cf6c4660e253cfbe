#include "tests/sweep/small_problems.hpp"

#include <fmt/format.h>

namespace autokernel::test {

std::string problem_file(int number) { return fmt::format("level1/{}_p.py", number); }

std::string candidate_file(int number) { return fmt::format("level_1_problem_{}_sample_0_kernel.py", number); }

void put_problems(const Workplace& place, int count, const std::string& candidate_text) {
  for (int number = 1; number <= count; ++number) {
    place.put("problems/" + problem_file(number), kSmallProblem);
    place.put("candidates/" + candidate_file(number), candidate_text);
  }
}

std::vector<std::string> small_sweep(const std::vector<std::string>& more) {
  std::vector<std::string> arguments{"sweep", "--problems", "problems", "--candidates", "candidates", "--out",
                                     "run",   "--samples",  "20",       "--devices",    "cpu"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

}  // namespace autokernel::test
