#include "coordinator/scheduling/ready_queue.hpp"

namespace autokernel::scheduling {

void ReadyQueue::add(QueuedJob job) {
  remove(job.job);
  const auto [known, is_new] = index_.try_emplace(job.problem, problems_.size());
  if (is_new) {
    problems_.push_back({job.problem, {}});
    book_.add(job.problem);
  }
  problems_[known->second].lines.at(static_cast<std::size_t>(job.needs)).emplace(job.score, job.job);
  jobs_.emplace(job.job, Waiting{known->second, job.needs, job.score, std::move(job.crashed_on)});
}

bool ReadyQueue::remove(JobId job) {
  const auto found = jobs_.find(job);
  if (found == jobs_.end()) return false;
  const Waiting& waiting = found->second;
  problems_[waiting.problem].lines.at(static_cast<std::size_t>(waiting.needs)).erase({waiting.score, job});
  jobs_.erase(found);
  return true;
}

QueuedJob ReadyQueue::describe(JobId job, const Waiting& waiting) const {
  return {job, waiting.needs, problems_[waiting.problem].name, waiting.score, waiting.crashed_on};
}

std::optional<ReadyQueue::Pick> ReadyQueue::best_of(const Problem& problem, const Seeker& seeker) const {
  std::optional<Pick> best;
  double head_start = -1;  // looked up once there is a job
  for (std::size_t kind = 0; kind < problem.lines.size(); ++kind) {
    if (!seeker.kinds.serves(static_cast<protocol::DeviceKind>(kind))) continue;
    for (const auto& [score, job] : problem.lines[kind]) {
      const Waiting& waiting = jobs_.at(job);
      if (!waiting.crashed_on.empty() && seeker.accepts && !seeker.accepts(describe(job, waiting))) continue;
      if (head_start < 0) head_start = kHeadStart * book_.rank(problem.name);
      if (!best || score - head_start < best->place) best = Pick{job, score - head_start};
      break;
    }
  }
  return best;
}

std::optional<QueuedJob> ReadyQueue::take(const Seeker& seeker) {
  std::optional<Pick> best;
  for (const Problem& problem : problems_) {
    const auto pick = best_of(problem, seeker);
    if (pick && (!best || pick->place < best->place)) best = pick;
  }
  if (!best) return std::nullopt;
  if (const auto warm = index_.find(seeker.warm_problem); warm != index_.end()) {
    const auto pick = best_of(problems_[warm->second], seeker);
    if (pick && pick->place <= best->place + kAffinityWindow) best = pick;
  }
  QueuedJob job = describe(best->job, jobs_.at(best->job));
  remove(best->job);
  return job;
}

}  // namespace autokernel::scheduling
