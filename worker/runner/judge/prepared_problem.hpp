#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "worker/runner/judge/phase_clock.hpp"
#include "worker/runner/judge/problem.hpp"
#include "worker/runner/judge/workbench.hpp"

namespace autokernel::judge {

/// A problem with what its judge must know before it meets a candidate, found by one or two forwards of the reference.
struct PreparedProblem {
  Problem problem;
  messages::Item inputs;   ///< structure, as get_inputs() returned it first
  messages::Item outputs;  ///< structure of the reference's result
  std::vector<std::string> vacuous;
  double depth = 1;                 ///< accumulation depth, for the float64 rule
  bool changes_inputs = false;      ///< the reference writes to its own inputs
  bool changes_state = false;       ///< a forward leaves traces in parameters, buffers or tensor attributes
  bool depends_on_state = false;    ///< a second forward on the same inputs and seed gives another result
  bool finite = true;               ///< the first result had no infinity
  std::uint64_t working_bytes = 0;  ///< device memory that the reference took at its peak, caches included
  double alone_us = 0;              ///< one call with no candidate near; 0: not measured
  bool used = true;                 ///< state was changed since the last construction
};

/// Loads the problem and runs its reference. The error is the problem_error's text.
[[nodiscard]] tl::expected<PreparedProblem, std::string> prepare_problem(runner::Device& device,
                                                                         const messages::Prepare& request,
                                                                         const compare::Checksummer& sums,
                                                                         PhaseClock& phases);

}  // namespace autokernel::judge
