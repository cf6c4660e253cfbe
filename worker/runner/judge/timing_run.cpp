#include "worker/runner/judge/timing_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include "worker/runner/compare/structure.hpp"
#include "worker/runner/judge/foreign_text.hpp"
#include "worker/runner/judge/timing_probe.hpp"
#include "worker/runner/timing/clock_check.hpp"

namespace autokernel::judge {

using protocol::StageName;
using protocol::Verdict;
using timing::ClaimState;
using timing::Side;

namespace {

constexpr int kAttempts = 3;
/// On the CPU device whatever else the machine does comes in between.
constexpr double kCpuSlackUs = 200'000;
constexpr std::int64_t kCheckedPairs = 3;
/// Drawing inputs may take this share of the time that the blocks take.
constexpr double kDrawShare = 0.5;

class CandidateTiming {
 public:
  explicit CandidateTiming(Evaluation& evaluation)
      : evaluation_(evaluation),
        reference_(evaluation.parts().problem, evaluation.parts().bench, evaluation.parts().request,
                   evaluation.parts().phases, evaluation.source()),
        random_(compare::secret_number()),
        host_cpu_(launching_core(evaluation.device())) {}

  TimingOutcome run() {
    if (auto fault = prepare()) return without(*fault);
    for (std::int64_t pair = 0; pair < plan_.pairs; ++pair) {
      if (auto fault = run_pair(pair)) return without(*fault);
    }
    return report();
  }

 private:
  /// Draws inputs, probes both sides, and makes the plan.
  std::optional<Fault> prepare() {
    auto structure = evaluation_.parts().bench.place_result(evaluation_.parts().problem.outputs);
    if (!structure) return infrastructure_fault(structure.error());
    expected_ = *std::move(structure);
    if (auto drawn = reference_.draw(fresh_seed()); !drawn) return drawn.error();

    const std::int64_t calls = evaluation_.longest_wait_seconds() > kSlowSeconds ? 1 : kProbeCalls;
    auto own = reference_.run(block_plan(calls, {}, host_cpu_), -1);
    if (!own) return own.error();
    const auto count = static_cast<double>(calls);
    const Probe reference = probe_of(own->samples.samples_us, own->samples.enqueue_us, own->samples.wall_us, count);
    own_per_call_us_ = own->per_call_us;
    if (auto fault = redraw_if_spoilt()) return fault;
    auto other = ask_block(calls, {}, 0);
    if (!other) return other.error();
    const Probe candidate = probe_of(other->samples_us, other->enqueue_us, std::max(other->wall_us, 1.0), count);

    timing::PlanRequest request;
    request.samples = evaluation_.options().samples;
    request.reference_us = reference.per_call_us;
    request.candidate_us = candidate.per_call_us;
    const double candidate_share = candidate.per_call_us / (candidate.per_call_us + reference.per_call_us);
    request.budget_seconds =
        std::min(kBudgetSeconds, 0.8 * evaluation_.parts().session.budget_left() / std::max(candidate_share, 0.05));
    const auto plan = timing::plan_blocks(request);
    if (!plan) return untimed(too_slow(std::max(reference.per_call_us, candidate.per_call_us)));
    plan_ = *plan;
    reference_launch_us_ = own->samples.launch_us;
    candidate_launch_us_ = std::clamp(other->launch_us, 0.0, outside_us_);
    reference_hold_ = hold_for(evaluation_.device(), reference);
    candidate_hold_ = hold_for(evaluation_.device(), candidate);
    const double pair_seconds = timing::seconds_of(plan_, request) / static_cast<double>(plan_.pairs);
    draw_every_ = std::clamp<std::int64_t>(
        static_cast<std::int64_t>(std::ceil(reference_.draw_seconds() / std::max(kDrawShare * pair_seconds, 1e-6))), 1,
        plan_.pairs);
    choose_checked_pairs();
    return std::nullopt;
  }

  void choose_checked_pairs() {
    if (evaluation_.parts().problem.depends_on_state) return;  // the results of two timed calls differ by right
    std::uniform_int_distribution<std::int64_t> any(0, plan_.pairs - 1);
    while (static_cast<std::int64_t>(checked_.size()) < std::min(kCheckedPairs, plan_.pairs))
      checked_.insert(any(random_));
  }

  /// Where somebody writes to the inputs, each block gets them fresh.
  std::optional<Fault> redraw_if_spoilt() {
    if (!spoilt()) return std::nullopt;
    auto drawn = reference_.draw(reference_.seed());
    return drawn ? std::nullopt : std::optional<Fault>(drawn.error());
  }
  /// Secret, so that nothing computed beforehand fits; small, since some generators take 32 bits only.
  std::uint64_t fresh_seed() { return random_() & 0xFFFFFFFFU; }

  bool spoilt() const { return evaluation_.changes_inputs() || evaluation_.parts().problem.changes_inputs; }

  std::optional<Fault> run_pair(std::int64_t pair) {
    if (pair % draw_every_ == 0) {
      if (auto drawn = reference_.draw(fresh_seed()); !drawn) return drawn.error();
    } else {
      reference_.reseed(fresh_seed());
    }
    const bool checked = checked_.contains(pair);
    timing::BlockPair medians;
    std::optional<ReferenceBlocks::Block> own;
    std::optional<messages::BlockTimed> other;
    for (const std::int64_t block : {2 * pair, 2 * pair + 1}) {
      if (auto fault = redraw_if_spoilt()) return fault;
      if (timing::side_of_block(block) == Side::kReference) {
        auto done = reference_.run(block_plan(plan_.calls(), reference_hold_, host_cpu_), checked ? 0 : -1);
        if (!done) return done.error();
        reference_host_bound_ += done->samples.host_bound;
        own = *std::move(done);
        own_per_call_us_ = own->per_call_us;
        const auto kept = kept_of(own->samples.samples_us, plan_);
        reference_samples_.insert(reference_samples_.end(), kept.begin(), kept.end());
        medians.reference_us = timing::median_of({kept.begin(), kept.end()});
      } else {
        std::uniform_int_distribution<std::int64_t> any(plan_.dropped, plan_.calls() - 1);
        auto done = honest_block(spoilt() ? 0 : any(random_));
        if (!done) return done.error();
        candidate_host_bound_ += std::clamp<std::int64_t>(done->host_bound, 0, plan_.calls());
        other = *std::move(done);
        const auto kept = kept_of(other->samples_us, plan_);
        candidate_samples_.insert(candidate_samples_.end(), kept.begin(), kept.end());
        medians.candidate_us = timing::median_of({kept.begin(), kept.end()});
      }
    }
    if (checked) {
      if (auto fault = check_result(*own, *other)) return fault;
    }
    constexpr double kLeastUs = 1e-3;  // an empty call may measure zero
    medians.reference_us = std::max(medians.reference_us, kLeastUs);
    medians.candidate_us = std::max(medians.candidate_us, kLeastUs);
    pairs_.push_back(medians);
    return std::nullopt;
  }

  messages::Call call() const {
    messages::Call call;
    call.seed = reference_.seed();
    call.arguments = reference_.inputs().items;
    call.expected = expected_;
    call.output_offset = evaluation_.parts().bench.layout().output_offset;
    call.output_bytes = evaluation_.parts().bench.layout().output_bytes;
    return call;
  }

  Asked<messages::BlockTimed> ask_block(std::int64_t calls, const timing::Hold& hold, std::int64_t keep) {
    if (auto poisoned = evaluation_.parts().bench.poison(); !poisoned)
      return tl::unexpected(infrastructure_fault(poisoned.error()));
    if (auto idle = evaluation_.device().synchronize(); !idle)
      return tl::unexpected(infrastructure_fault(idle.error()));
    evaluation_.make_room();
    const auto span = evaluation_.parts().phases.span("timing_candidate");
    const double before = evaluation_.parts().session.waited_seconds();
    auto timed = evaluation_.parts().session.ask<messages::BlockTimed>(
        messages::TimeBlock{call(), calls, keep, hold.first_us, hold.each_us, host_cpu_});
    outside_us_ = (evaluation_.parts().session.waited_seconds() - before) * 1e6;
    if (timed && timed->samples_us.size() != static_cast<std::size_t>(calls)) {
      return tl::unexpected(cheating("reply", "the candidate's process sent another number of samples than asked for"));
    }
    return timed;
  }

  /// A block whose samples fit the judge's own clock.
  Asked<messages::BlockTimed> honest_block(std::int64_t keep) {
    timing::ClaimCheck check;
    int certain = 0;
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      if (attempt > 0) {
        if (auto fault = redraw_if_spoilt()) return tl::unexpected(*std::move(fault));
      }
      auto timed = ask_block(plan_.calls(), candidate_hold_, keep);
      if (!timed) return timed;
      timing::BlockWitness witness;
      witness.outside_us = outside_us_;
      witness.hold_us = candidate_hold_.of_block(plan_.calls());
      witness.per_call_us = own_per_call_us_;
      if (evaluation_.device().is_cpu()) witness.slack_us = kCpuSlackUs;
      witness.copied_bytes = static_cast<double>(evaluation_.parts().bench.layout().output_bytes);
      check = timing::check_claim({timed->samples_us, timed->wall_us}, witness);
      if (check.state == ClaimState::kFits) return timed;
      if (check.state != ClaimState::kDoubtful) ++certain;
    }
    if (certain == kAttempts) return tl::unexpected(cheating("timer", check.reason));
    return tl::unexpected(untimed(fmt::format("no timing: {} times in a row, {}", kAttempts, check.reason)));
  }

  /// The kept result of a timed call against the reference's on the same inputs and seed.
  std::optional<Fault> check_result(const ReferenceBlocks::Block& own, const messages::BlockTimed& other) {
    if (!other.violation.empty())
      return cheating("timed_output", "in a timed call " + foreign_text(other.violation, 300));
    Trial trial;
    trial.seed = reference_.seed();
    trial.inputs = reference_.inputs();
    trial.reference = own.kept;
    auto expected = evaluation_.parts().bench.place_result(own.structure);
    if (!expected) return infrastructure_fault(expected.error());
    trial.expected = *std::move(expected);
    if (auto lie = check_places(other.result, trial.expected)) return lie;
    const messages::Tolerance& tolerance = evaluation_.tolerance();
    if (auto words =
            compare::structure_difference(other.result, trial.expected, tolerance.absolute, tolerance.relative)) {
      return cheating("timed_output", "in a timed call " + foreign_text(*words, 300));
    }
    auto found = runner::tensors_from(trial.expected, evaluation_.parts().bench.arena());
    if (!found) return infrastructure_fault(found.error());
    const Comparison comparison = evaluation_.compare(trial, *found, compare::NonFinite::kMustMatch);
    if (comparison.passed) return std::nullopt;
    return blame(comparison.detail);
  }

  /// A timed result is wrong. It is dishonest when the candidate still answers rightly if asked outside of a block, and
  /// when it no longer answers as it did in stage 2; otherwise these inputs are simply beyond it.
  std::optional<Fault> blame(const std::string& detail) {
    const auto answers_rightly = [&](std::uint64_t seed) -> Asked<bool> {
      auto trial = evaluation_.make_trial(seed);
      if (!trial) return tl::unexpected(std::move(trial).error());
      auto found = evaluation_.forward(*trial);
      if (!found) return tl::unexpected(std::move(found).error());
      return evaluation_.compare(*trial, *found, compare::NonFinite::kMustMatch).passed;
    };
    auto now = answers_rightly(reference_.seed());
    if (!now) return now.error();
    if (*now)
      return cheating("timed_output",
                      "a timed call gives another result than the same call outside of timing: " + detail);
    const auto seeds = evaluation_.trial_seeds();
    auto then = seeds.empty() ? Asked<bool>(true) : answers_rightly(seeds.front());
    if (!then) return then.error();
    if (!*then) return cheating("timed_output", "its results changed once it was timed: " + detail);
    return untimed(fmt::format("no timing: wrong on the inputs drawn for it (seed {}): {}", reference_.seed(), detail));
  }

  static Fault cheating(const char* kind, std::string detail) {
    Fault fault;
    fault.verdict = Verdict::kCheating;
    fault.cheating_kind = kind;
    fault.detail = std::move(detail);
    fault.process_is_lost = true;
    return fault;
  }

  static Fault untimed(std::string detail) {
    Fault fault;
    fault.verdict = Verdict::kTimeout;
    fault.detail = std::move(detail);
    return fault;
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
  ReferenceBlocks reference_;
  std::mt19937_64 random_;
  const int host_cpu_;  ///< both sides launch from the core that the judge is on: cores differ in speed and distance
  messages::Item expected_;
  timing::Plan plan_;
  timing::Hold reference_hold_;
  timing::Hold candidate_hold_;
  double reference_launch_us_ = 0;
  double candidate_launch_us_ = 0;
  double own_per_call_us_ = 0;
  double outside_us_ = 0;
  std::int64_t draw_every_ = 1;
  std::set<std::int64_t> checked_;
  std::vector<double> reference_samples_;
  std::vector<double> candidate_samples_;
  std::vector<timing::BlockPair> pairs_;
  std::int64_t reference_host_bound_ = 0;
  std::int64_t candidate_host_bound_ = 0;
};

}  // namespace

TimingOutcome time_candidate(Evaluation& evaluation) { return CandidateTiming(evaluation).run(); }

}  // namespace autokernel::judge
