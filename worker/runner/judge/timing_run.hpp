#pragma once

#include <optional>
#include <string>

#include "worker/runner/judge/evaluation.hpp"
#include "worker/runner/timing/statistics.hpp"

/// Blocks of the reference here and of the candidate in its own process, in turn. Main thread, blocks for its duration;
/// throws what torch throws.
namespace autokernel::judge {

struct TimingOutcome {
  std::optional<protocol::TimingReport> report;  ///< absent: no timing, `stage` says why
  StageResult stage;
};

/// At least as many samples of both sides as the job asks for, or as many as fit into a minute. Every call of a block
/// that counts has inputs drawn for it, in a place of its own, and the output of one call of each block, nobody knows
/// which, is compared: what is remembered from call to call is wrong. Blocks whose samples do not fit the judge's own
/// clock are repeated; if they never fit, there is no timing, or it is cheating where nothing else explains it.
[[nodiscard]] TimingOutcome time_candidate(Evaluation& evaluation);

/// The reference alone, for a baseline. The error is for a person.
[[nodiscard]] Asked<protocol::TimingReport> time_reference(PreparedProblem& problem, const Workbench& bench,
                                                           const messages::Prepare& request, PhaseClock& phases);

/// Microseconds of one call of the reference while no candidate is near, from a few calls.
[[nodiscard]] Asked<double> time_alone(PreparedProblem& problem, const Workbench& bench, PhaseClock& phases,
                                       protocol::InputSource source);

}  // namespace autokernel::judge
