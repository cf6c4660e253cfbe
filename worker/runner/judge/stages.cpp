#include "worker/runner/judge/stages.hpp"

namespace autokernel::judge {

using protocol::StageName;
using protocol::Verdict;

namespace {

Verdict later_verdict(StageName name) {
  switch (name) {
    case StageName::kStability: return Verdict::kUnstable;
    case StageName::kDeterminism: return Verdict::kNondeterministic;
    default: return Verdict::kEdgeFailure;
  }
}

}  // namespace

StageResult ended_by(StageName name, const Fault& fault, const Evaluation& evaluation, const std::string& during) {
  const std::string detail = during.empty() ? fault.detail : during + ": " + fault.detail;
  const bool first_two = name == StageName::kSmoke || name == StageName::kSweep;
  if (first_two || fault.verdict == Verdict::kCheating || fault.verdict == Verdict::kInfrastructure) {
    StageResult result = failed(name, fault.verdict, detail);
    result.cheating_kind = fault.cheating_kind;
    return result;
  }
  if (fault.verdict == Verdict::kProblemError) return skipped(name, detail);
  if (fault.verdict == Verdict::kTimeout && !evaluation.is_hang(fault)) return skipped(name, detail);
  return failed(name, later_verdict(name), detail);
}

}  // namespace autokernel::judge
