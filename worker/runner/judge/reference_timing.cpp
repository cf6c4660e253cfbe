#include "worker/runner/judge/reference_blocks.hpp"
#include "worker/runner/judge/timing_probe.hpp"
#include "worker/runner/judge/timing_run.hpp"
#include "worker/runner/timing/statistics.hpp"

namespace autokernel::judge {

namespace {

/// A timing of the reference by itself.
class LoneTiming {
 public:
  LoneTiming(PreparedProblem& problem, const Workbench& bench, PhaseClock& phases, protocol::InputSource source)
      : problem_(problem),
        inputs_(problem, bench, phases, source),
        reference_(problem, bench, phases, inputs_),
        host_cpu_(launching_core(problem.problem.device())) {}

  /// Warms up and finds out how a block has to be cut and held.
  Asked<Probe> probe() {
    AUTOKERNEL_TRY(inputs_.draw(inputs_.most_calls()));
    AUTOKERNEL_TRY_ASSIGN(const auto warm, reference_.run(block_plan(1, {}, host_cpu_), -1));
    calls_ = warm.samples.wall_us > kSlowSeconds * 1e6 ? 1 : std::min(kProbeCalls, inputs_.most_calls());
    AUTOKERNEL_TRY_ASSIGN(const auto probed, reference_.run(block_plan(calls_, {}, host_cpu_), -1));
    launch_us_ = probed.samples.launch_us;
    return probe_of(probed.samples.samples_us, probed.samples.enqueue_us, probed.samples.wall_us,
                    static_cast<double>(calls_));
  }

  Asked<runner::BlockSamples> block(const Probe& probe, std::int64_t calls) {
    if (problem_.changes_inputs) AUTOKERNEL_TRY(inputs_.redraw());
    AUTOKERNEL_TRY_ASSIGN(auto done,
                          reference_.run(block_plan(calls, hold_for(problem_.problem.device(), probe), host_cpu_), -1));
    return std::move(done.samples);
  }

  [[nodiscard]] std::int64_t probe_calls() const { return calls_; }
  [[nodiscard]] std::int64_t most_calls() const { return inputs_.most_calls(); }
  [[nodiscard]] double launch_us() const { return launch_us_; }

 private:
  PreparedProblem& problem_;
  TimedInputs inputs_;
  ReferenceBlocks reference_;
  const int host_cpu_;
  std::int64_t calls_ = 1;
  double launch_us_ = 0;
};

}  // namespace

Asked<protocol::TimingReport> time_reference(PreparedProblem& problem, const Workbench& bench,
                                             const messages::Prepare& request, PhaseClock& phases) {
  LoneTiming lone(problem, bench, phases, request.options.inputs);
  AUTOKERNEL_TRY_ASSIGN(const Probe probe, lone.probe());
  timing::PlanRequest plan_request;
  plan_request.samples = request.options.samples;
  plan_request.reference_us = probe.per_call_us;
  plan_request.candidate_us = 0;
  plan_request.budget_seconds = kBudgetSeconds;
  plan_request.most_calls = lone.most_calls();
  const auto plan = timing::plan_blocks(plan_request);
  if (!plan) return tl::unexpected(fault_with(protocol::Verdict::kProblemError, too_slow(probe.per_call_us)));
  protocol::TimingReport report;
  report.reference_launch_us = lone.launch_us();
  for (std::int64_t block = 0; block < plan->pairs; ++block) {
    AUTOKERNEL_TRY_ASSIGN(const auto samples, lone.block(probe, plan->calls()));
    const auto kept = kept_of(samples.samples_us, *plan);
    report.reference_host_bound += samples.host_bound;
    report.reference_samples_us.insert(report.reference_samples_us.end(), kept.begin(), kept.end());
  }
  report.method = problem.problem.device().timing_method();
  report.reference_us = timing::summarize(report.reference_samples_us);
  return report;
}

Asked<double> time_alone(PreparedProblem& problem, const Workbench& bench, PhaseClock& phases,
                         protocol::InputSource source) {
  LoneTiming lone(problem, bench, phases, source);
  AUTOKERNEL_TRY_ASSIGN(const Probe probe, lone.probe());
  AUTOKERNEL_TRY_ASSIGN(const auto samples, lone.block(probe, lone.probe_calls()));
  return timing::median_of(samples.samples_us);
}

}  // namespace autokernel::judge
