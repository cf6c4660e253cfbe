#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "coordinator/scheduling/problem_book.hpp"
#include "coordinator/scheduling/worker_table.hpp"

namespace autokernel::scheduling {

/// A job that waits for a worker.
struct QueuedJob {
  JobId job;
  protocol::DeviceKind needs = protocol::DeviceKind::kAny;
  std::string problem;
  double score = 0;                     ///< its place in the store's order: arrival, less the submitter's head start
  std::vector<std::string> crashed_on;  ///< workers it died on
};

/// The jobs that wait, mirrored from the store's ready sets, in the order of what is best to do next.
/// Dispatch thread only; does no I/O.
///
/// A job's place in line is score - 500·rank: the store's order, with a head start for problems that have more to gain
/// (ProblemBook). Ranks change with every verdict, scores never do. Since both head starts are bounded, a job is
/// overtaken only by jobs that arrived within so many places behind it: ageing comes by arrival, needs no clock, and
/// nothing starves. What a successor loads is the score alone; it restores the ranks from the problems' histories.
class ReadyQueue {
 public:
  static constexpr double kHeadStart = 500;      ///< places that the best-ranked problem is ahead of the worst
  static constexpr double kAffinityWindow = 64;  ///< places that a warm judge is worth

  explicit ReadyQueue(ProblemBook& book) : book_(book) {}

  void add(QueuedJob job);  ///< free to repeat; the last place counts
  bool remove(JobId job);   ///< false when it is not here

  struct Seeker {
    DeviceKinds kinds;
    std::string warm_problem;
    std::function<bool(const QueuedJob&)> accepts;  ///< asked only for jobs that crashed before
  };
  /// Takes the best job for this worker off the queue; one of its warm problem when that waits within the window.
  [[nodiscard]] std::optional<QueuedJob> take(const Seeker& seeker);

  [[nodiscard]] std::size_t size() const { return jobs_.size(); }

 private:
  using Line = std::set<std::pair<double, JobId>>;  ///< by score
  struct Problem {
    std::string name;
    std::array<Line, 4> lines;  ///< by DeviceKind
  };
  struct Waiting {
    std::size_t problem = 0;
    protocol::DeviceKind needs = protocol::DeviceKind::kAny;
    double score = 0;
    std::vector<std::string> crashed_on;
  };
  struct Pick {
    JobId job;
    double place = 0;
  };
  [[nodiscard]] std::optional<Pick> best_of(const Problem& problem, const Seeker& seeker) const;
  [[nodiscard]] QueuedJob describe(JobId job, const Waiting& waiting) const;

  ProblemBook& book_;
  std::vector<Problem> problems_;
  std::map<std::string, std::size_t> index_;  ///< problem → position in problems_
  std::unordered_map<JobId, Waiting> jobs_;
};

}  // namespace autokernel::scheduling
