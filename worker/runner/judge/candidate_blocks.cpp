#include "worker/runner/judge/candidate_blocks.hpp"

#include <utility>

namespace autokernel::judge {

namespace {

/// On the CPU device whatever else the machine does comes in between.
constexpr double kCpuSlackUs = 200'000;

}  // namespace

Asked<CandidateBlocks::Block> CandidateBlocks::run(std::vector<messages::CallInputs> calls,
                                                   const runner::BlockPlan& plan, std::int64_t keep) {
  if (auto poisoned = evaluation_.parts().bench.poison(); !poisoned)
    return tl::unexpected(infrastructure_fault(poisoned.error()));
  if (auto idle = evaluation_.device().synchronize(); !idle) return tl::unexpected(infrastructure_fault(idle.error()));
  evaluation_.make_room();
  const auto span = evaluation_.parts().phases.span("timing_candidate");
  CandidateSession& session = evaluation_.parts().session;
  const std::size_t count = calls.size();
  const double before = session.waited_seconds();
  auto timed =
      session.ask<messages::BlockTimed>(messages::TimeBlock{std::move(calls), evaluation_.result_place(expected_), keep,
                                                            plan.hold.first_us, plan.hold.each_us, plan.host_cpu});
  if (!timed) return tl::unexpected(std::move(timed).error());
  if (timed->samples_us.size() != count) {
    return tl::unexpected(cheating("reply", "the candidate's process sent another number of samples than asked for"));
  }
  return Block{*std::move(timed), (session.waited_seconds() - before) * 1e6};
}

timing::ClaimCheck CandidateBlocks::check(const Block& block, const runner::BlockPlan& plan, double per_call_us) const {
  timing::BlockWitness witness;
  witness.outside_us = block.outside_us;
  witness.hold_us = plan.hold.of_block(plan.calls);
  witness.per_call_us = per_call_us;
  if (evaluation_.device().is_cpu()) witness.slack_us = kCpuSlackUs;
  witness.copied_bytes = static_cast<double>(evaluation_.parts().bench.layout().output_bytes);
  return timing::check_claim({block.timed.samples_us, block.timed.wall_us}, witness);
}

}  // namespace autokernel::judge
