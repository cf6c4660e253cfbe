#include <random>

#include "worker/runner/judge/timing_probe.hpp"
#include "worker/runner/judge/timing_run.hpp"
#include "worker/runner/timing/statistics.hpp"

namespace autokernel::judge {

tl::expected<protocol::TimingReport, Fault> time_reference(PreparedProblem& problem, const Workbench& bench,
                                                           const messages::Prepare& request, PhaseClock& phases) {
  ReferenceBlocks reference(problem, bench, request, phases, request.options.inputs);
  std::mt19937_64 random(compare::secret_number());
  const int host_cpu = launching_core(problem.problem.device());
  if (auto drawn = reference.draw(random() & 0xFFFFFFFFU); !drawn) return tl::unexpected(std::move(drawn).error());
  const auto warm = reference.run(block_plan(1, {}, host_cpu), -1);
  if (!warm) return tl::unexpected(warm.error());
  const std::int64_t calls = warm->samples.wall_us > kSlowSeconds * 1e6 ? 1 : kProbeCalls;
  const auto probed = reference.run(block_plan(calls, {}, host_cpu), -1);
  if (!probed) return tl::unexpected(probed.error());
  const Probe probe = probe_of(probed->samples.samples_us, probed->samples.enqueue_us, probed->samples.wall_us,
                               static_cast<double>(calls));
  timing::PlanRequest plan_request;
  plan_request.samples = request.options.samples;
  plan_request.reference_us = probe.per_call_us;
  plan_request.candidate_us = 0;
  plan_request.budget_seconds = kBudgetSeconds;
  const auto plan = timing::plan_blocks(plan_request);
  if (!plan) {
    Fault fault;
    fault.verdict = protocol::Verdict::kProblemError;
    fault.detail = too_slow(probe.per_call_us);
    return tl::unexpected(std::move(fault));
  }
  const timing::Hold hold = hold_for(problem.problem.device(), probe);
  protocol::TimingReport report;
  report.reference_launch_us = probed->samples.launch_us;
  for (std::int64_t block = 0; block < plan->pairs; ++block) {
    if (problem.changes_inputs) {
      if (auto drawn = reference.draw(random() & 0xFFFFFFFFU); !drawn) return tl::unexpected(std::move(drawn).error());
    }
    const auto done = reference.run(block_plan(plan->calls(), hold, host_cpu), -1);
    if (!done) return tl::unexpected(done.error());
    const auto kept = kept_of(done->samples.samples_us, *plan);
    report.reference_host_bound += done->samples.host_bound;
    report.reference_samples_us.insert(report.reference_samples_us.end(), kept.begin(), kept.end());
  }
  report.method = problem.problem.device().timing_method();
  report.reference_us = timing::summarize(report.reference_samples_us);
  return report;
}

}  // namespace autokernel::judge
