#include "worker/runner/judge/candidate_blocks.hpp"

#include <algorithm>
#include <utility>

namespace autokernel::judge {

namespace {

/// On the CPU device whatever else the machine does comes in between.
constexpr double kCpuSlackUs = 200'000;
/// Waking a stopped process with Go, and hearing its Called: a quarter of this on an idle machine.
constexpr double kWordsUs = 250;

}  // namespace

Asked<CandidateBlocks::Block> CandidateBlocks::run(const TimedInputs& inputs, const runner::BlockPlan& plan,
                                                   std::int64_t keep) {
  if (auto poisoned = evaluation_.parts().bench.poison(); !poisoned)
    return tl::unexpected(infrastructure_fault(poisoned.error()));
  if (auto idle = evaluation_.device().synchronize(); !idle) return tl::unexpected(infrastructure_fault(idle.error()));
  evaluation_.make_room();
  const auto span = evaluation_.parts().phases.span("timing_candidate");
  CandidateSession& session = evaluation_.parts().session;
  messages::TimeBlock question{inputs.calls(plan.calls),
                               evaluation_.result_place(expected_),
                               keep,
                               plan.hold.first_us,
                               plan.hold.each_us,
                               plan.host_cpu,
                               inputs.in_turn()};
  const Clock& clock = evaluation_.parts().clock;
  const auto before = clock.now();
  Block block;
  AUTOKERNEL_TRY_ASSIGN(block.timed, inputs.in_turn()
                                         ? take_turns(inputs, std::move(question), keep, block.outside_calls_us)
                                         : session.ask<messages::BlockTimed>(question));
  if (block.timed.samples_us.size() != static_cast<std::size_t>(plan.calls)) {
    return tl::unexpected(cheating("reply", "the candidate's process sent another number of samples than asked for"));
  }
  block.outside_us = seconds_between(before, clock.now()) * 1e6;
  return block;
}

Asked<messages::BlockTimed> CandidateBlocks::take_turns(const TimedInputs& inputs, messages::TimeBlock question,
                                                        std::int64_t keep, std::vector<double>& outside_calls_us) {
  CandidateSession& session = evaluation_.parts().session;
  const auto calls = static_cast<std::int64_t>(question.calls.size());
  question.keep = -1;
  AUTOKERNEL_TRY(inputs.hide());
  AUTOKERNEL_TRY(session.ask<messages::AwaitsInputs>(question));
  for (std::int64_t call = 0;; ++call) {
    AUTOKERNEL_TRY(inputs.place(static_cast<std::size_t>(call)));
    const double before = session.waited_seconds();
    AUTOKERNEL_TRY(session.ask<messages::Called>(messages::Go{call}));
    outside_calls_us.push_back((session.waited_seconds() - before) * 1e6);
    const messages::Keep answer{call == keep};
    if (call + 1 == calls) return session.ask<messages::BlockTimed>(answer);
    AUTOKERNEL_TRY(session.ask<messages::AwaitsInputs>(answer));
  }
}

std::vector<double> CandidateBlocks::believed_us(const Block& block) {
  std::vector<double> samples = block.timed.samples_us;
  for (std::size_t i = 0; i < std::min(samples.size(), block.outside_calls_us.size()); ++i)
    samples[i] = std::max(samples[i], block.outside_calls_us[i] - kWordsUs);
  return samples;
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
