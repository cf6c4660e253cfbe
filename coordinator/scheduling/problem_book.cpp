#include "coordinator/scheduling/problem_book.hpp"

#include <algorithm>
#include <vector>

#include "common/protocol/describe.hpp"
#include "common/protocol/verdict.hpp"
#include "coordinator/scheduling/amdahl.hpp"

namespace autokernel::scheduling {
namespace {

struct Group {
  double measured_us = 0;
  std::int64_t measured = 0;
  double seconds = 0;
  std::int64_t tries = 0;
  double time = 0;  ///< Σ w/s

  [[nodiscard]] double mean_us() const { return measured == 0 ? 1 : measured_us / static_cast<double>(measured); }
  [[nodiscard]] double mean_seconds() const { return tries == 0 ? 1 : seconds / static_cast<double>(tries); }
};

Standing standing_of(const ProblemHistory& history, const Group& group) {
  Standing standing;
  standing.weight = history.measured == 0 ? group.mean_us() : history.reference_us;
  standing.speedup = history.best_speedup;
  standing.bound = history.floor_us > 0 && history.measured > 0 ? history.reference_us / history.floor_us
                                                                : assumed_bound(history.best_speedup);
  // Laplace's rule of succession: an even chance before the first try, never quite none after many.
  standing.chance = static_cast<double>(history.improvements + 1) / static_cast<double>(history.tries + 2);
  standing.cost = history.tries == 0 ? group.mean_seconds() : history.seconds / static_cast<double>(history.tries);
  return standing;
}

}  // namespace

std::string group_of(std::string_view problem) {
  const std::size_t slash = problem.rfind('/');
  return slash == std::string_view::npos ? std::string() : std::string(problem.substr(0, slash));
}

void ProblemBook::add(const std::string& problem) {
  if (problems_.try_emplace(problem).second) outdated_ = true;
}

void ProblemBook::observe(const protocol::Record& record) {
  if (record.verdict == protocol::Verdict::kInfrastructure) return;
  ProblemHistory& history = problems_[record.problem].history;
  outdated_ = true;
  if (record.timing && record.timing->reference_us.median > 0) {
    ++history.measured;
    history.reference_us +=
        (record.timing->reference_us.median - history.reference_us) / static_cast<double>(history.measured);
  }
  if (record.roofline && record.roofline->floor_us > 0) history.floor_us = record.roofline->floor_us;
  if (record.kind != protocol::JobKind::kEvaluate) return;
  ++history.tries;
  history.seconds += std::max(record.seconds, 0.0);
  if (!protocol::counts_as_correct(record.verdict) || !record.timing || !record.timing->speedup) return;
  const protocol::SpeedupInterval& speedup = *record.timing->speedup;
  if (speedup.low > history.best_speedup && speedup.median >= speedup.low) {
    history.best_speedup = speedup.median;
    ++history.improvements;
  }
}

void ProblemBook::recompute() {
  outdated_ = false;
  std::map<std::string, Group> groups;
  for (const auto& [problem, entry] : problems_) {
    Group& group = groups[group_of(problem)];
    group.seconds += entry.history.seconds;
    group.tries += entry.history.tries;
    if (entry.history.measured == 0) continue;
    group.measured_us += entry.history.reference_us;
    ++group.measured;
  }
  for (const auto& [problem, entry] : problems_) {
    Group& group = groups[group_of(problem)];
    group.time += standing_of(entry.history, group).weight / entry.history.best_speedup;
  }
  std::vector<double> order;
  for (auto& [problem, entry] : problems_) {
    const Group& group = groups[group_of(problem)];
    entry.priority = amdahl_priority(standing_of(entry.history, group), group.time);
    order.push_back(entry.priority);
  }
  std::sort(order.begin(), order.end());
  order.erase(std::unique(order.begin(), order.end()), order.end());
  const double steps = static_cast<double>(std::max<std::size_t>(order.size(), 2) - 1);
  for (auto& [problem, entry] : problems_) {
    const auto below = std::lower_bound(order.begin(), order.end(), entry.priority) - order.begin();
    entry.rank = static_cast<double>(below) / steps;
  }
}

double ProblemBook::rank(const std::string& problem) {
  if (outdated_) recompute();
  const auto found = problems_.find(problem);
  return found == problems_.end() ? 0 : found->second.rank;
}

double ProblemBook::priority(const std::string& problem) {
  if (outdated_) recompute();
  const auto found = problems_.find(problem);
  return found == problems_.end() ? 0 : found->second.priority;
}

std::string ProblemBook::save(const std::string& problem) const {
  const auto found = problems_.find(problem);
  return found == problems_.end() ? std::string() : protocol::pack(found->second.history);
}

Result<void> ProblemBook::restore(const std::string& problem, std::string_view saved) {
  AUTOKERNEL_TRY_ASSIGN(const auto history, protocol::unpack<ProblemHistory>(saved));
  if (!(history.best_speedup >= 1) || history.tries < 0 || history.measured < 0 || history.improvements < 0) {
    return fail(Code::kInvalid, "history of {} makes no sense", problem);
  }
  problems_[problem].history = history;
  outdated_ = true;
  return {};
}

}  // namespace autokernel::scheduling
