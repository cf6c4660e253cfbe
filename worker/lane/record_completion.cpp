#include "worker/lane/record_completion.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "common/id/digest.hpp"

namespace autokernel::lane {
namespace {

using protocol::StageName;
using protocol::StageOutcome;
using protocol::StageReport;

std::vector<StageName> stages_of(protocol::JobKind kind) {
  if (kind == protocol::JobKind::kBaseline) return {StageName::kTiming};
  return {StageName::kBuild,       StageName::kSmoke, StageName::kSweep, StageName::kStability,
          StageName::kDeterminism, StageName::kEdges, StageName::kTiming};
}

}  // namespace

protocol::Record failed_record(protocol::Verdict verdict, std::string detail) {
  protocol::Record record;
  record.verdict = verdict;
  record.detail = std::move(detail);
  return record;
}

StageReport build_stage(const protocol::JobSpec& spec, const compile::BuildResult& build) {
  StageReport stage{StageName::kBuild, StageOutcome::kPassed, build.seconds, ""};
  if (build.outcome == messages::BuildOutcome::kCompileError) {
    stage.outcome = StageOutcome::kFailed;
    stage.detail = build.detail;
  } else if (build.outcome == messages::BuildOutcome::kMissingTool) {
    stage.outcome = StageOutcome::kNotReached;
    stage.detail = build.detail;
  } else if (!compile::needs_builder(spec.candidate.language, spec.candidate.text)) {
    stage.outcome = StageOutcome::kSkipped;
    stage.detail = "nothing to build";
  } else if (build.cached) {
    stage.detail = "from the build cache";
  } else {
    stage.detail = build.detail;
  }
  return stage;
}

void complete_record(protocol::Record& record, const protocol::Dispatch& dispatch, const compile::BuildResult& build) {
  const protocol::JobSpec& spec = dispatch.spec;
  record.kind = spec.kind;
  record.problem = spec.problem.name;
  record.level = spec.problem.level;
  record.problem_id = spec.problem.id;
  record.candidate = spec.candidate.name;
  record.sample = spec.candidate.sample;
  record.attempt = dispatch.attempt;
  record.options = spec.options;
  record.batch_overridden = spec.problem.batch_overridden;
  record.digests.problem = digest_of(spec.problem.text);
  record.phases["build"] = build.seconds;
  record.phases["build_wait"] = build.waited;
  if (spec.kind == protocol::JobKind::kEvaluate) {
    record.digests.candidate = digest_of(spec.candidate.text);
    record.digests.artefact = build.artefact_digest;
  }

  std::vector<StageReport> stages;
  for (const StageName name : stages_of(spec.kind)) {
    const auto reported = std::find_if(record.stages.begin(), record.stages.end(),
                                       [&](const StageReport& stage) { return stage.name == name; });
    if (reported != record.stages.end()) {
      stages.push_back(*reported);
    } else if (name == StageName::kBuild) {
      stages.push_back(build_stage(spec, build));
    } else {
      stages.push_back(StageReport{name, StageOutcome::kNotReached, 0, ""});
    }
  }
  record.stages = std::move(stages);
}

}  // namespace autokernel::lane
