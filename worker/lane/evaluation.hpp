#pragma once

#include <chrono>
#include <functional>
#include <optional>

#include "worker/lane/candidate_process.hpp"
#include "worker/lane/judge_session.hpp"
#include "worker/lane/lane_job.hpp"

namespace autokernel::lane {

/// What came of one job on a lane.
struct EvaluationResult {
  protocol::Record record;  ///< as judged, with the phases seen from here; not yet completed
  bool judge_is_spent = false;
};

/// How long a judge may say nothing: it enforces the candidate's own limit itself and reports every stage, so this only
/// catches a judge that hangs.
[[nodiscard]] std::chrono::milliseconds silence_limit(const protocol::Dispatch& dispatch);

/// Has the judge judge the job's candidate, or time its reference for a baseline: hands it a fresh candidate process
/// (`candidate`, where one was started already) and another whenever it asks for one, passes each stage on, and sees to
/// it that every process it started is gone at the end. At the deadline, where there is one, the verdict is `timeout`:
/// started again it would take as long again. Blocks the lane's thread; a cancelled job ends at once with a record that
/// means nothing.
[[nodiscard]] EvaluationResult evaluate(const LaneResources& resources, JudgeSession& judge, const LaneJob& job,
                                        std::optional<CandidateProcess::Started> candidate,
                                        const std::optional<Clock::TimePoint>& deadline,
                                        const std::function<void(const protocol::StageReport&)>& on_stage);

}  // namespace autokernel::lane
