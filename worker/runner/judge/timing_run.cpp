#include "worker/runner/judge/timing_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "worker/runner/judge/candidate_blocks.hpp"
#include "worker/runner/judge/reference_blocks.hpp"
#include "worker/runner/judge/timed_result.hpp"
#include "worker/runner/judge/timing_probe.hpp"

namespace autokernel::judge {

using protocol::StageName;
using timing::ClaimState;
using timing::Side;

namespace {

constexpr int kAttempts = 3;
constexpr double kLeastUs = 1e-3;  // an empty call may measure zero
/// The reference beside a candidate over the reference alone, beyond which the candidate has to go for another look.
constexpr double kSlowed = 1.5;

class CandidateTiming {
 public:
  CandidateTiming(Evaluation& evaluation, messages::Item expected)
      : evaluation_(evaluation),
        inputs_(evaluation.parts().problem, evaluation.parts().bench, evaluation.parts().phases, evaluation.source()),
        reference_(evaluation.parts().problem, evaluation.parts().bench, evaluation.parts().phases, inputs_),
        candidate_(evaluation, std::move(expected)),
        random_(compare::secret_number()),
        host_cpu_(launching_core(evaluation.device())) {}

  TimingOutcome run() {
    if (auto fault = prepare()) return without(*fault);
    for (std::int64_t pair = 0; pair < plan_.pairs; ++pair) {
      if (auto fault = run_pair(pair)) return without(*fault);
    }
    if (auto fault = slowed_reference()) return without(*fault);
    return report();
  }

 private:
  /// What one pair of blocks gave. Both sides made the same calls.
  struct Pair {
    ReferenceBlocks::Block own;
    CandidateBlocks::Block other;
    std::int64_t keep = 0;
    timing::ClaimCheck check;
  };

  /// Draws inputs, probes both sides, and makes the plan.
  std::optional<Fault> prepare() {
    const bool slow = evaluation_.longest_wait_seconds() > kSlowSeconds;
    const std::int64_t calls = slow ? 1 : std::min(kProbeCalls, inputs_.most_calls());
    const runner::BlockPlan probing = block_plan(calls, {}, host_cpu_);
    if (auto drawn = inputs_.draw(calls); !drawn) return drawn.error();
    auto own = reference_.run(probing, -1);
    if (!own) return own.error();
    const auto count = static_cast<double>(calls);
    const Probe reference = probe_of(own->samples.samples_us, own->samples.enqueue_us, own->samples.wall_us, count);
    if (auto fault = redraw_if_spoilt()) return fault;
    auto other = candidate_.run(inputs_, probing, 0);
    if (!other) return other.error();
    const Probe candidate =
        probe_of(other->timed.samples_us, other->timed.enqueue_us, std::max(other->timed.wall_us, 1.0), count);

    timing::PlanRequest request;
    request.samples = evaluation_.options().samples;
    request.reference_us = reference.per_call_us;
    request.candidate_us = candidate.per_call_us;
    request.draw_us = inputs_.draw_seconds() * (spoilt() ? 2e6 : 1e6);
    request.most_calls = inputs_.most_calls();
    const double candidate_share = candidate.per_call_us / (candidate.per_call_us + reference.per_call_us);
    request.budget_seconds =
        std::min(kBudgetSeconds, 0.8 * evaluation_.parts().session.budget_left() / std::max(candidate_share, 0.05));
    const auto plan = timing::plan_blocks(request);
    if (!plan) return untimed(too_slow(std::max(reference.per_call_us, candidate.per_call_us)));
    plan_ = *plan;
    reference_launch_us_ = own->samples.launch_us;
    candidate_launch_us_ = std::clamp(other->timed.launch_us, 0.0, other->outside_us);
    reference_block_ = block_plan(plan_.calls(), hold_for(evaluation_.device(), reference), host_cpu_);
    candidate_block_ = block_plan(plan_.calls(), hold_for(evaluation_.device(), candidate), host_cpu_);
    return std::nullopt;
  }

  bool spoilt() const {
    return !inputs_.in_turn() && (evaluation_.changes_inputs() || evaluation_.parts().problem.changes_inputs);
  }

  /// Where somebody writes to the inputs, each block gets them fresh.
  std::optional<Fault> redraw_if_spoilt() {
    if (!spoilt()) return std::nullopt;
    auto drawn = inputs_.redraw();
    return drawn ? std::nullopt : std::optional<Fault>(drawn.error());
  }

  /// A pair whose samples fit the judge's own clock, with its kept result checked. What does not fit is done again from
  /// new inputs on.
  std::optional<Fault> run_pair(std::int64_t index) {
    std::string reason;
    int certain = 0;
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      auto pair = measure(index);
      if (!pair) return pair.error();
      if (pair->check.state == ClaimState::kFits) {
        const auto call = static_cast<std::size_t>(pair->keep);
        if (auto fault = check_timed_result(evaluation_, inputs_, call, pair->own, pair->other.timed)) return fault;
        take(*pair);
        return std::nullopt;
      }
      reason = pair->check.reason;
      if (pair->check.state != ClaimState::kDoubtful) ++certain;
    }
    if (certain == kAttempts) return cheating("timer", reason);
    return untimed(fmt::format("no timing: {} times in a row, {}", kAttempts, reason));
  }

  Asked<Pair> measure(std::int64_t index) {
    // What the dropped call remembers from earlier blocks is dropped with it.
    AUTOKERNEL_TRY(inputs_.draw(plan_.calls(), spoilt() ? 0 : plan_.dropped));
    if (evaluation_.parts().problem.depends_on_state) {  // both sides must have seen the same calls
      AUTOKERNEL_TRY(evaluation_.restart_from(evaluation_.source()));
    }
    std::uniform_int_distribution<std::int64_t> any(plan_.dropped, plan_.calls() - 1);
    Pair pair;
    pair.keep = any(random_);
    for (const std::int64_t block : {2 * index, 2 * index + 1}) {
      if (block % 2 == 1) {
        if (auto fault = redraw_if_spoilt()) return tl::unexpected(*std::move(fault));
      }
      if (timing::side_of_block(block) == Side::kReference) {
        AUTOKERNEL_TRY_ASSIGN(pair.own, reference_.run(reference_block_, pair.keep));
      } else {
        AUTOKERNEL_TRY_ASSIGN(pair.other, run_candidate(pair.keep, block % 2 == 0));
      }
    }
    pair.check = candidate_.check(pair.other, candidate_block_, pair.own.per_call_us);
    return pair;
  }

  /// A candidate may write to inputs in timed calls only: the reference does not work on what it left there.
  Asked<CandidateBlocks::Block> run_candidate(std::int64_t keep, bool goes_first) {
    const compare::Checksummer& sums = evaluation_.parts().sums;
    const auto checked = [&] {
      const auto span = evaluation_.parts().phases.span("checksum");
      return goes_first && !spoilt() ? inputs_.checksums(sums) : std::vector<std::uint64_t>();
    };
    const auto before = checked();
    auto block = candidate_.run(inputs_, candidate_block_, keep);
    if (block && checked() != before) AUTOKERNEL_TRY(inputs_.redraw());
    return block;
  }

  void take(const Pair& pair) {
    const auto kept = [&](const std::vector<double>& from, std::vector<double>& all) {
      const auto samples = kept_of(from, plan_);
      all.insert(all.end(), samples.begin(), samples.end());
      return std::max(timing::median_of({samples.begin(), samples.end()}), kLeastUs);
    };
    timing::BlockPair medians;
    medians.reference_us = kept(pair.own.samples.samples_us, reference_samples_);
    medians.candidate_us = kept(CandidateBlocks::believed_us(pair.other), candidate_samples_);
    reference_host_bound_ += pair.own.samples.host_bound;
    candidate_host_bound_ += std::clamp<std::int64_t>(pair.other.timed.host_bound, 0, plan_.calls());
    pairs_.push_back(medians);
  }

  /// Kernels that a candidate left on the device outlive its being stopped. So where the reference took much longer
  /// beside it than alone, the candidate's process is ended, and the reference has another look at itself.
  std::optional<Fault> slowed_reference() {
    PreparedProblem& problem = evaluation_.parts().problem;
    const double beside = timing::median_of(reference_samples_);
    const bool launch_bound = reference_launch_us_ > 0.5 * problem.alone_us;  // other processes' work on the host shows
    if (problem.alone_us <= 0 || launch_bound || beside <= kSlowed * problem.alone_us) return std::nullopt;
    evaluation_.parts().session.kill();
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      auto alone = time_alone(problem, evaluation_.parts().bench, evaluation_.parts().phases, evaluation_.source());
      if (!alone) return alone.error();
      if (beside <= kSlowed * *alone)
        return std::nullopt;  // the machine is slower than it was, not the candidate's doing
    }
    return untimed(fmt::format("no timing: the reference takes {:.4g} us beside this candidate and {:.4g} us alone",
                               beside, problem.alone_us));
  }

  TimingOutcome without(const Fault& fault) {
    TimingOutcome outcome;
    outcome.stage = failed(StageName::kTiming, fault.verdict, fault.detail);
    outcome.stage.cheating_kind = fault.cheating_kind;
    return outcome;
  }

  TimingOutcome report() {
    TimingOutcome outcome;
    protocol::TimingReport timing;
    timing.method = evaluation_.device().timing_method();
    timing.candidate_us = timing::summarize(candidate_samples_);
    timing.reference_us = timing::summarize(reference_samples_);
    timing.candidate_host_bound = candidate_host_bound_;
    timing.reference_host_bound = reference_host_bound_;
    timing.reference_launch_us = reference_launch_us_;
    timing.candidate_launch_us = candidate_launch_us_;
    timing.speedup = timing::speedup_of(pairs_, timing.method, {reference_launch_us_, candidate_launch_us_});
    timing.candidate_samples_us = std::move(candidate_samples_);
    timing.reference_samples_us = std::move(reference_samples_);
    outcome.report = std::move(timing);
    outcome.stage =
        passed(StageName::kTiming, fmt::format("{} samples each in {} pairs of blocks{}", plan_.samples(), plan_.pairs,
                                               plan_.reduced ? ", fewer than asked for want of time" : ""));
    return outcome;
  }

  Evaluation& evaluation_;
  TimedInputs inputs_;
  ReferenceBlocks reference_;
  CandidateBlocks candidate_;
  std::mt19937_64 random_;
  const int host_cpu_;  ///< both sides launch from the core that the judge is on: cores differ in speed and distance
  timing::Plan plan_;
  runner::BlockPlan reference_block_;
  runner::BlockPlan candidate_block_;
  double reference_launch_us_ = 0;
  double candidate_launch_us_ = 0;
  std::vector<double> reference_samples_;
  std::vector<double> candidate_samples_;
  std::vector<timing::BlockPair> pairs_;
  std::int64_t reference_host_bound_ = 0;
  std::int64_t candidate_host_bound_ = 0;
};

}  // namespace

TimingOutcome time_candidate(Evaluation& evaluation) {
  auto expected = evaluation.parts().bench.place_result(evaluation.parts().problem.outputs);
  if (!expected) {
    const Fault fault = infrastructure_fault(expected.error());
    return {std::nullopt, failed(StageName::kTiming, fault.verdict, fault.detail)};
  }
  return CandidateTiming(evaluation, *std::move(expected)).run();
}

}  // namespace autokernel::judge
