#include "worker/lane/evaluation.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "common/protocol/tagged.hpp"
#include "worker/lane/candidate_process.hpp"
#include "worker/lane/record_completion.hpp"

namespace autokernel::lane {
namespace {

/// Beyond the candidate's limit: for ending a hung candidate, and for the judge's own work in one stage (inputs, the
/// reference, its float64 twin), which on a slow CPU takes as long as the candidate's.
constexpr double kGraceSeconds = 60;
constexpr double kReserveSeconds = 240;

/// One job's turn on the lane.
class Turn {
 public:
  Turn(const LaneResources& resources, JudgeSession& judge, const LaneJob& job,
       std::optional<CandidateProcess::Started> waiting, const std::optional<Clock::TimePoint>& deadline)
      : resources_(resources), judge_(judge), job_(job), deadline_(deadline), waiting_(std::move(waiting)) {}

  EvaluationResult run(const std::function<void(const protocol::StageReport&)>& on_stage) {
    const bool baseline = job_.dispatch.spec.kind == protocol::JobKind::kBaseline;
    auto asked = baseline ? judge_.send(messages::TimeReference{}) : give_candidate();
    while (asked) {
      auto message = next_message();
      if (!message) {
        asked = tl::unexpected(std::move(message).error());
      } else if (const auto* done = std::get_if<messages::StageDone>(&*message)) {
        stages_.push_back(done->stage);
        on_stage(done->stage);
      } else if (std::holds_alternative<messages::NeedCandidate>(*message)) {
        end_candidate();
        asked = give_candidate();
      } else if (auto* judged = std::get_if<messages::Judged>(&*message)) {
        return finish(std::move(*judged));
      } else {
        asked = infrastructure("the judge sent Prepared twice");
      }
    }
    end_candidate();
    protocol::Record record = failed_record(asked.error().verdict, asked.error().detail);
    record.stages = std::move(stages_);
    return EvaluationResult{with_phases(std::move(record)), true};
  }

 private:
  Outcome<messages::FromJudge> next_message() {
    using std::chrono::milliseconds;
    auto limit = silence_limit(job_.dispatch);
    if (deadline_) limit = std::min(limit, std::chrono::ceil<milliseconds>(*deadline_ - clock_.now()));
    auto message = judge_.receive(std::max(limit, milliseconds(0)));
    if (!message) return tl::unexpected(std::move(message).error());
    if (*message) return **std::move(message);
    if (deadline_ && clock_.now() >= *deadline_) {
      return tl::unexpected(Failure{
          protocol::Verdict::kTimeout,
          fmt::format(
              "stopped at the limit for a whole job, {} s, after {} of the judge's stages; a longer --timeout or "
              "a smaller --batch gives it room",
              job_.dispatch.max_runtime_ms / 1000, stages_.size())});
    }
    return infrastructure(fmt::format("the judge did not answer within {} s", limit.count() / 1000));
  }

  Outcome<void> give_candidate() {
    const auto start = clock_.now();
    if (!waiting_) {
      auto fresh = CandidateProcess::start(resources_, job_);
      if (!fresh) return tl::unexpected(std::move(fresh).error());
      waiting_ = *std::move(fresh);
    }
    auto started = std::exchange(waiting_, std::nullopt);
    candidate_.emplace(std::move(started->process));
    attachment_ = candidate_->attach_to(*job_.cancellation);
    messages::JudgeCandidate order;
    order.candidate_path = job_.build.source_path.string();
    order.artefact_folder = job_.build.artefact_folder.string();
    order.language = job_.dispatch.spec.candidate.language;
    auto sent = judge_.send(order, {started->judge_end.fd()});
    phases_["candidate_start"] += seconds_between(start, clock_.now());
    return sent;
  }

  void end_candidate() {
    if (!candidate_) return;
    const auto start = clock_.now();
    attachment_ = {};
    candidate_->end();
    candidate_.reset();
    phases_["teardown"] += seconds_between(start, clock_.now());
  }

  EvaluationResult finish(messages::Judged judged) {
    if (judged.candidate_vanished && candidate_) candidate_->explain_end(judged.record);
    end_candidate();
    return EvaluationResult{with_phases(std::move(judged.record)), judged.judge_is_spent};
  }

  protocol::Record with_phases(protocol::Record record) const {
    for (const auto& [name, seconds] : phases_) record.phases[name] += seconds;
    return record;
  }

  const LaneResources& resources_;
  JudgeSession& judge_;
  const LaneJob& job_;
  const std::optional<Clock::TimePoint> deadline_;
  const SteadyClock clock_;
  std::optional<CandidateProcess::Started> waiting_;  ///< for the judge to ask for it
  std::optional<CandidateProcess> candidate_;
  runner_process::Cancellation::Attachment attachment_;
  protocol::PhaseSeconds phases_;
  std::vector<protocol::StageReport> stages_;
};

}  // namespace

std::chrono::milliseconds silence_limit(const protocol::Dispatch& dispatch) {
  const double seconds = std::max(dispatch.spec.options.timeout_seconds, 0.0) + kGraceSeconds + kReserveSeconds;
  return std::chrono::milliseconds(static_cast<std::int64_t>(std::min(seconds, 1e6) * 1000));
}

EvaluationResult evaluate(const LaneResources& resources, JudgeSession& judge, const LaneJob& job,
                          std::optional<CandidateProcess::Started> candidate,
                          const std::optional<Clock::TimePoint>& deadline,
                          const std::function<void(const protocol::StageReport&)>& on_stage) {
  const auto attachment = judge.attach_to(*job.cancellation);
  return Turn(resources, judge, job, std::move(candidate), deadline).run(on_stage);
}

}  // namespace autokernel::lane
