#include "worker/runner/judge/assessment.hpp"

#include <utility>

#include "common/protocol/describe.hpp"

namespace autokernel::judge {

using protocol::StageName;
using protocol::StageOutcome;
using protocol::Verdict;

namespace {

StageResult result_of(StageName name, StageOutcome outcome, Verdict verdict, std::string detail) {
  StageResult result;
  result.report.name = name;
  result.report.outcome = outcome;
  result.report.detail = std::move(detail);
  result.verdict = verdict;
  return result;
}

bool decides_correct(StageName name) { return name == StageName::kSmoke || name == StageName::kSweep; }

}  // namespace

StageResult passed(StageName name, std::string detail) {
  return result_of(name, StageOutcome::kPassed, Verdict::kCorrect, std::move(detail));
}
StageResult failed(StageName name, Verdict verdict, std::string detail) {
  return result_of(name, StageOutcome::kFailed, verdict, std::move(detail));
}
StageResult skipped(StageName name, std::string detail) {
  return result_of(name, StageOutcome::kSkipped, Verdict::kCorrect, std::move(detail));
}
StageResult not_reached(StageName name) { return result_of(name, StageOutcome::kNotReached, Verdict::kCorrect, ""); }

Assessment assess(const std::vector<StageResult>& stages) {
  Assessment result;
  result.verdict = Verdict::kCorrect;
  bool sweep_passed = false;
  bool all_passed = true;
  const StageResult* deciding = nullptr;
  std::string missing;
  for (const StageResult& stage : stages) {
    const StageName name = stage.report.name;
    const StageOutcome outcome = stage.report.outcome;
    const bool cheating = outcome == StageOutcome::kFailed && stage.verdict == Verdict::kCheating;
    if (name == StageName::kSweep && outcome == StageOutcome::kPassed) sweep_passed = true;
    if (cheating) {
      deciding = &stage;
      break;
    }
    if (name == StageName::kTiming) continue;
    if (outcome != StageOutcome::kPassed) all_passed = false;
    if (outcome == StageOutcome::kFailed && deciding == nullptr) deciding = &stage;
    if (outcome == StageOutcome::kSkipped && deciding == nullptr) {
      missing +=
          (missing.empty() ? "" : "; ") + std::string(protocol::name_of(name)) + " skipped: " + stage.report.detail;
    }
    if (outcome == StageOutcome::kFailed && decides_correct(name)) break;
  }
  if (deciding == nullptr) {
    result.correct = sweep_passed;
    result.robust = sweep_passed && all_passed;
    if (result.robust) result.verdict = Verdict::kRobust;
    result.detail = missing;
    return result;
  }
  result.verdict = deciding->verdict;
  result.cheating_kind = deciding->cheating_kind;
  result.detail = deciding->report.detail;
  result.correct = sweep_passed && deciding->verdict != Verdict::kCheating;
  return result;
}

}  // namespace autokernel::judge
