#include "worker/runner/timing/plan.hpp"

#include <algorithm>
#include <cmath>

namespace autokernel::timing {

namespace {

constexpr std::int64_t kKeptPerBlock = kMostCalls - 1;
constexpr std::int64_t kFewestPairs = 6;
constexpr std::int64_t kFewestKept = 2;
constexpr std::int64_t kFewestSamples = kFewestPairs * kFewestKept;

Plan plan_for(std::int64_t samples, std::int64_t dropped, std::int64_t most_calls) {
  const std::int64_t most_kept = std::min(kKeptPerBlock, most_calls - dropped);
  Plan plan;
  plan.pairs = std::max(kFewestPairs, (samples + most_kept - 1) / most_kept);
  plan.kept = std::max(std::min(kFewestKept, most_kept), (samples + plan.pairs - 1) / plan.pairs);
  plan.dropped = dropped;
  return plan;
}

}  // namespace

double seconds_of(const Plan& plan, const PlanRequest& request) {
  return static_cast<double>(plan.pairs * plan.calls()) *
         (request.reference_us + request.candidate_us + request.draw_us) * 1e-6;
}

std::optional<Plan> plan_blocks(const PlanRequest& request) {
  const bool slow = std::min(request.reference_us, request.candidate_us) > kNoDropAboveUs;
  const std::int64_t most_calls = std::clamp<std::int64_t>(request.most_calls, 1, kMostCalls);
  const std::int64_t dropped = slow || most_calls == 1 ? 0 : 1;
  Plan plan = plan_for(request.samples, dropped, most_calls);
  const double wanted = seconds_of(plan, request);
  if (wanted <= request.budget_seconds) return plan;

  const double share = request.budget_seconds / wanted;
  const auto affordable = static_cast<std::int64_t>(std::floor(static_cast<double>(plan.samples()) * share));
  Plan smaller = plan_for(std::max(affordable, kFewestSamples), dropped, most_calls);
  while (seconds_of(smaller, request) > request.budget_seconds && smaller.kept > kFewestKept) --smaller.kept;
  smaller.reduced = smaller.samples() < request.samples;
  if (seconds_of(smaller, request) > 2 * request.budget_seconds) return std::nullopt;
  return smaller;
}

Side side_of_block(std::int64_t index) {
  const std::int64_t place = index % 4;
  return place == 0 || place == 3 ? Side::kReference : Side::kCandidate;
}

Hold hold_for(double enqueue_us, double device_us) {
  const auto with_margin = [](double us) { return 1.25 * us + 20; };
  Hold hold;
  hold.first_us = std::min(with_margin(enqueue_us), kMaxHoldUs);
  const double behind = enqueue_us - device_us;
  if (behind > 0 && with_margin(enqueue_us) <= kMaxHoldUs) hold.each_us = with_margin(behind);
  return hold;
}

}  // namespace autokernel::timing
