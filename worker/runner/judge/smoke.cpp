#include <ATen/ATen.h>
#include <fmt/format.h>

#include "worker/runner/compare/structure.hpp"
#include "worker/runner/judge/stages.hpp"

namespace autokernel::judge {

using protocol::StageName;
using protocol::Verdict;

StageResult run_smoke(Evaluation& evaluation) {
  if (auto loaded = evaluation.load(); !loaded) return ended_by(StageName::kSmoke, loaded.error(), evaluation);
  auto trial = evaluation.make_trial(evaluation.options().seed);
  if (!trial) return ended_by(StageName::kSmoke, trial.error(), evaluation);
  auto found = evaluation.forward(*trial);
  if (!found) return ended_by(StageName::kSmoke, found.error(), evaluation);

  const auto span = evaluation.parts().phases.span("compare");
  const auto names = compare::tensors_of(trial->expected);
  for (std::size_t i = 0; i < found->size(); ++i) {
    bool unwritten = false;
    const auto bad = compare::first_not_finite((*found)[i], trial->reference[i], unwritten);
    if (!bad) continue;
    const std::string place = compare::index_text(*bad, (*found)[i].sizes());
    return failed(StageName::kSmoke, Verdict::kWrongOutput,
                  unwritten ? fmt::format("element {} of {} was never written", place, names[i].name)
                            : fmt::format("element {} of {} is not finite, the reference's is", place, names[i].name));
  }
  return passed(StageName::kSmoke);
}

}  // namespace autokernel::judge
