#include "worker/runner/judge/candidate_turn.hpp"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <array>

#include "worker/runner/judge/foreign_text.hpp"
#include "worker/runner/judge/stages.hpp"
#include "worker/runner/judge/timing_run.hpp"

namespace autokernel::judge {

using protocol::StageName;
using protocol::StageOutcome;
using protocol::Verdict;

namespace {

using StageFunction = StageResult (*)(Evaluation&);

struct NamedStage {
  StageName name;
  StageFunction run;
  bool decides_correct;
};
constexpr std::array kStages = {
    NamedStage{StageName::kSmoke, run_smoke, true},
    NamedStage{StageName::kSweep, run_sweep, true},
    NamedStage{StageName::kStability, run_stability, false},
    NamedStage{StageName::kDeterminism, run_determinism, false},
};
/// After the timing, because the reference itself may lose the judge's device there.
constexpr NamedStage kLastStage{StageName::kEdges, run_edges, false};

/// Fresh processes per candidate, beyond the first: one per later stage that may take one down, and one for the timing.
constexpr int kReplacements = 3;

/// Work that keeps the device busy, by phase name; the rest of the seconds is the host's.
constexpr std::array kDevicePhases = {"inputs",  "reference", "candidate_forward", "compare",         "checksum",
                                      "float64", "weights",   "timing_reference",  "timing_candidate"};

bool device_is_well(runner::Device& device) {
  if (!device.synchronize()) return false;
  const auto probed = runner::attempt(
      [&] { return at::ones({64}, at::TensorOptions().device(device.torch_device())).sum().item<float>() == 64.0F; });
  return probed && *probed;
}

class Turn {
 public:
  Turn(Evaluation::Parts parts, runner::Device& device, const TurnHost& host)
      : evaluation_(std::move(parts)), device_(device), host_(host) {}

  Result<messages::Judged> run() {
    for (const NamedStage& stage : kStages) {
      AUTOKERNEL_TRY(take(stage.name, [&] { return outcome_of(stage); }));
    }
    if (evaluation_.options().require_custom) require_custom();
    if (evaluation_.options().timing) {
      AUTOKERNEL_TRY(take(StageName::kTiming, [&] { return time(); }));
    }
    AUTOKERNEL_TRY(take(kLastStage.name, [&] { return outcome_of(kLastStage); }));
    return judged();
  }

 private:
  /// Runs a stage under its own clock and reports it.
  template <class Function>
  Result<void> take(StageName name, Function&& function) {
    const auto began = evaluation_.parts().clock.now();
    StageResult result = guarded(name, std::forward<Function>(function));
    if (agent_lost_) return tl::unexpected(*agent_lost_);
    result.report.seconds = seconds_between(began, evaluation_.parts().clock.now());
    note(result);
    results_.push_back(std::move(result));
    return host_.stage_done(results_.back().report);
  }

  /// What the judge's own torch throws: want of memory ends a stage, a failing device ends the judge.
  template <class Function>
  StageResult guarded(StageName name, Function&& function) {
    auto outcome = runner::attempt(std::forward<Function>(function));
    if (outcome) return *std::move(outcome);
    const messages::Failed& problem = outcome.error();
    release_cached_memory(device_);
    if (problem.kind == messages::FailureKind::kOutOfMemory) {
      const std::string words = "the judge has not enough memory for it: " + problem.message;
      return decides_correct(name) ? failed(name, Verdict::kProblemError, words) : skipped(name, words);
    }
    return failed(name, Verdict::kInfrastructure, "the judge failed: " + problem.message);
  }

  static bool decides_correct(StageName name) { return name == StageName::kSmoke || name == StageName::kSweep; }

  StageResult outcome_of(const NamedStage& stage) {
    if (ended_) return not_reached(stage.name);
    if (!stage.decides_correct) {
      if (evaluation_.options().stages == protocol::StageSet::kCorrect) return skipped(stage.name, "not asked for");
      if (auto without = ensure_process(); !without.empty()) return skipped(stage.name, without);
    }
    return stage.run(evaluation_);
  }

  StageResult time() {
    if (ended_) return not_reached(StageName::kTiming);
    if (auto without = ensure_process(); !without.empty()) return skipped(StageName::kTiming, without);
    TimingOutcome outcome = time_candidate(evaluation_);
    evaluation_.parts().record.timing = std::move(outcome.report);
    return outcome.stage;
  }

  /// Refuses a candidate that only calls the framework. Native ones are their own kernel, and on the CPU nobody can
  /// tell.
  void require_custom() {
    if (ended_ || evaluation_.is_native() || device_.is_cpu() || !ensure_process().empty()) return;
    auto outcome = runner::attempt([&] { return evaluation_.trace(); });
    if (!outcome || !*outcome) return;
    messages::Launches launches = **std::move(outcome);
    only_library_ = launches.custom.empty() && !launches.library.empty();
    if (only_library_) ended_ = true;
    evaluation_.parts().record.kernels.emplace();
    for (auto* names : {&launches.custom, &launches.library}) {
      for (std::string& name : *names) name = foreign_text(name, 300);
    }
    (*evaluation_.parts().record.kernels)["custom"] = std::move(launches.custom);
    (*evaluation_.parts().record.kernels)["library"] = std::move(launches.library);
  }

  /// A living process with the candidate in it. Empty when there is one, else why not.
  std::string ensure_process() {
    if (!evaluation_.parts().session.is_lost()) return "";
    if (evaluation_.parts().session.budget_left() < 1) return "the time limit is used up";
    if (replacements_++ >= kReplacements) return "its process was lost too often";
    auto fresh = host_.need_candidate("its process was lost in an earlier stage");
    if (!fresh) {
      agent_lost_ = fresh.error();
      return "the agent is gone";
    }
    evaluation_.parts().session.replace(std::move(fresh->end));
    evaluation_.parts().candidate = std::move(fresh->order);
    if (auto loaded = evaluation_.load(); !loaded)
      return "a fresh process could not take over: " + loaded.error().detail;
    return "";
  }

  /// A stage's end decides what else is done.
  void note(const StageResult& result) {
    const auto& fault = evaluation_.parts().session.last_fault();
    vanished_ = fault && fault->vanished;
    if (result.judge_is_spent) judge_is_spent_ = true;
    const bool suspect = result.verdict == Verdict::kInfrastructure || (fault && fault->device_suspect);
    if (suspect && result.report.outcome == StageOutcome::kFailed && !device_is_well(device_)) spent_ = true;
    if (spent_ || (result.report.outcome == StageOutcome::kFailed &&
                   (decides_correct(result.report.name) || result.verdict == Verdict::kCheating ||
                    result.verdict == Verdict::kInfrastructure))) {
      ended_ = true;
    }
  }

  messages::Judged judged() {
    messages::Judged answer;
    protocol::Record& record = evaluation_.parts().record;
    const Assessment assessment = assess(results_);
    record.verdict = assessment.verdict;
    record.cheating_kind = assessment.cheating_kind;
    record.correct = assessment.correct;
    record.robust = assessment.robust;
    record.detail = assessment.detail;
    if (spent_) {
      record.verdict = Verdict::kInfrastructure;
      record.correct = record.robust = false;
      record.detail = "the judge's own device does not answer any more: " + assessment.detail;
    }
    if (only_library_) {
      record.verdict = Verdict::kNoCustomKernel;
      record.correct = record.robust = false;
      record.detail = "one forward launches only the framework's own kernels, and a custom one was required";
    }
    if (!record.correct) record.timing.reset();
    for (const StageResult& result : results_) record.stages.push_back(result.report);
    record.phases = evaluation_.parts().phases.take();
    for (const char* phase : kDevicePhases) {
      if (const auto found = record.phases.find(phase); found != record.phases.end())
        record.phases["gpu_seconds"] += found->second;
    }
    answer.candidate_vanished = vanished_ && assessment.verdict == Verdict::kCrashed;
    answer.judge_is_spent = spent_ || judge_is_spent_;
    answer.record = std::move(record);
    return answer;
  }

  Evaluation evaluation_;
  runner::Device& device_;
  const TurnHost& host_;
  std::vector<StageResult> results_;
  std::optional<Error> agent_lost_;
  int replacements_ = 0;
  bool ended_ = false;
  bool only_library_ = false;
  bool vanished_ = false;
  bool spent_ = false;           ///< the device failed and nobody knows at whose hands: infrastructure
  bool judge_is_spent_ = false;  ///< it failed at the reference's, once everything was decided
};

}  // namespace

Result<messages::Judged> take_turn(Evaluation::Parts parts, runner::Device& device, const TurnHost& host) {
  return Turn(std::move(parts), device, host).run();
}

}  // namespace autokernel::judge
