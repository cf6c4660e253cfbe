#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

namespace autokernel::protocol {

/// The outcome of a job: data, never an error. docs/verdicts.md says when each is given.
enum class Verdict {
  kCorrect,  ///< stages 1 and 2 passed: what KernelBench means
  kRobust,   ///< all five stages passed
  kTimed,    ///< a baseline was measured
  kCompileError,
  kLoadError,
  kRuntimeError,
  kWrongStructure,
  kWrongOutput,
  kUnstable,          ///< correct, stage 3 failed
  kNondeterministic,  ///< correct, stage 4 failed
  kEdgeFailure,       ///< correct, stage 5 failed
  kOutOfMemory,
  kTimeout,
  kCrashed,
  kCheating,
  kImplausible,
  kNoCustomKernel,
  kInfrastructure,  ///< never scored, always retried
  kProblemError,    ///< the reference itself fails here; never held against the candidate
};
constexpr auto names_of(Verdict) {
  using enum Verdict;
  using Name = std::pair<Verdict, std::string_view>;
  return std::array{
      Name{kCorrect, "correct"},
      Name{kRobust, "robust"},
      Name{kTimed, "timed"},
      Name{kCompileError, "compile_error"},
      Name{kLoadError, "load_error"},
      Name{kRuntimeError, "runtime_error"},
      Name{kWrongStructure, "wrong_structure"},
      Name{kWrongOutput, "wrong_output"},
      Name{kUnstable, "unstable"},
      Name{kNondeterministic, "nondeterministic"},
      Name{kEdgeFailure, "edge_failure"},
      Name{kOutOfMemory, "out_of_memory"},
      Name{kTimeout, "timeout"},
      Name{kCrashed, "crashed"},
      Name{kCheating, "cheating"},
      Name{kImplausible, "implausible"},
      Name{kNoCustomKernel, "no_custom_kernel"},
      Name{kInfrastructure, "infrastructure"},
      Name{kProblemError, "problem_error"},
  };
}

/// True where stages 1 and 2 passed and nothing dishonest was found: what KernelBench scores.
/// A candidate that fails a later stage is still correct in KernelBench's sense.
[[nodiscard]] bool counts_as_correct(Verdict verdict);

enum class StageName { kBuild, kSmoke, kSweep, kStability, kDeterminism, kEdges, kTiming };
constexpr auto names_of(StageName) {
  using enum StageName;
  using Name = std::pair<StageName, std::string_view>;
  return std::array{Name{kBuild, "build"},
                    Name{kSmoke, "smoke"},
                    Name{kSweep, "sweep"},
                    Name{kStability, "stability"},
                    Name{kDeterminism, "determinism"},
                    Name{kEdges, "edges"},
                    Name{kTiming, "timing"}};
}

enum class StageOutcome { kPassed, kFailed, kSkipped, kNotReached };
constexpr auto names_of(StageOutcome) {
  using enum StageOutcome;
  using Name = std::pair<StageOutcome, std::string_view>;
  return std::array{Name{kPassed, "passed"}, Name{kFailed, "failed"}, Name{kSkipped, "skipped"},
                    Name{kNotReached, "not_reached"}};
}

}  // namespace autokernel::protocol
