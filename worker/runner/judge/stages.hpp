#pragma once

#include "worker/runner/judge/evaluation.hpp"

/// The five stages, one file each. Each asks the candidate for what it needs and says how it went; a fault of the
/// candidate is the stage's outcome. They may throw what torch throws (the judge's own lack of memory, a lost device).
namespace autokernel::judge {

/// Loads, constructs and runs once: structure, dtypes, shapes, everything written, finite where the reference is.
[[nodiscard]] StageResult run_smoke(Evaluation& evaluation);

/// The protocol's trials with fresh seeds: allclose, or the float64 rule. Fills the record's figures. When a trial
/// fails with inputs drawn on the device, all of it is repeated once with KernelBench's CPU generation before it
/// counts.
[[nodiscard]] StageResult run_sweep(Evaluation& evaluation);

/// Inputs scaled up and down, of mixed sign, with ties, constant and zero.
[[nodiscard]] StageResult run_stability(Evaluation& evaluation);

/// Three runs on the same inputs and seed, bitwise, or within twice the reference's own spread; inputs unchanged by all
/// so far.
[[nodiscard]] StageResult run_determinism(Evaluation& evaluation);

/// Misaligned and non-contiguous inputs where the reference takes them; another batch where the problem has one
/// (reported only).
[[nodiscard]] StageResult run_edges(Evaluation& evaluation);

/// A stage that a fault ended. In stages 3 to 5 an honest failure has the stage's own verdict; a limit that ran out
/// without a hang and trouble of the reference's or the judge's skip the stage.
[[nodiscard]] StageResult ended_by(protocol::StageName name, const Fault& fault, const Evaluation& evaluation,
                                   const std::string& during = {});

}  // namespace autokernel::judge
