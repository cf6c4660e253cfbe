#include "coordinator/scheduling/ready_queue.hpp"

#include <gtest/gtest.h>

namespace autokernel::scheduling {
namespace {

using protocol::DeviceKind;

QueuedJob a_waiting_job(std::uint64_t id, const std::string& problem, double score,
                        DeviceKind needs = DeviceKind::kAny) {
  return {{id}, needs, problem, score, {}};
}

ReadyQueue::Seeker a_seeker(DeviceKind kind = DeviceKind::kCpu, std::string warm = {}) {
  ReadyQueue::Seeker seeker;
  seeker.kinds = DeviceKinds({{kind, "device", "a device", 0}});
  seeker.warm_problem = std::move(warm);
  return seeker;
}

void weigh(ProblemBook& book, const std::string& problem, double reference_us) {
  protocol::Record record;
  record.kind = protocol::JobKind::kBaseline;
  record.problem = problem;
  record.verdict = protocol::Verdict::kTimed;
  record.timing.emplace();
  record.timing->reference_us.median = reference_us;
  book.observe(record);
}

std::vector<std::uint64_t> take_all(ReadyQueue& queue, const ReadyQueue::Seeker& seeker) {
  std::vector<std::uint64_t> order;
  while (const auto job = queue.take(seeker)) order.push_back(job->job.value);
  return order;
}

using Order = std::vector<std::uint64_t>;

TEST(ReadyQueue, GoesByArrivalWhileNothingIsKnown) {
  ProblemBook book;
  ReadyQueue queue(book);
  queue.add(a_waiting_job(2, "level1/b.py", 2));
  queue.add(a_waiting_job(1, "level1/a.py", 1));
  queue.add(a_waiting_job(3, "level1/a.py", 3));
  EXPECT_EQ(take_all(queue, a_seeker()), (Order{1, 2, 3}));
  EXPECT_EQ(queue.size(), 0U);
}

TEST(ReadyQueue, PutsTheProblemWithMoreToGainFirst) {
  ProblemBook book;
  weigh(book, "level1/light.py", 1);
  weigh(book, "level1/heavy.py", 1000);
  ReadyQueue queue(book);
  queue.add(a_waiting_job(1, "level1/light.py", 1));
  queue.add(a_waiting_job(2, "level1/heavy.py", 2));
  EXPECT_EQ(take_all(queue, a_seeker()), (Order{2, 1}));
}

TEST(ReadyQueue, ReordersAsResultsArrive) {
  ProblemBook book;
  ReadyQueue queue(book);
  queue.add(a_waiting_job(1, "level1/light.py", 1));
  queue.add(a_waiting_job(2, "level1/heavy.py", 2));
  weigh(book, "level1/light.py", 1);
  weigh(book, "level1/heavy.py", 1000);
  EXPECT_EQ(queue.take(a_seeker())->job.value, 2U);
}

TEST(ReadyQueue, OldJobsOvertakeTheBestProblemInTheEnd) {
  ProblemBook book;
  weigh(book, "level1/light.py", 1);
  weigh(book, "level1/heavy.py", 1000);
  ReadyQueue queue(book);
  queue.add(a_waiting_job(1, "level1/light.py", 1));
  queue.add(a_waiting_job(2, "level1/heavy.py", 1 + ReadyQueue::kHeadStart - 1));
  queue.add(a_waiting_job(3, "level1/heavy.py", 1 + ReadyQueue::kHeadStart + 1));
  EXPECT_EQ(take_all(queue, a_seeker()), (Order{2, 1, 3}));
}

TEST(ReadyQueue, KeepsAJudgeWarmWithinTheWindow) {
  ProblemBook book;
  ReadyQueue queue(book);
  queue.add(a_waiting_job(1, "level1/cold.py", 1));
  queue.add(a_waiting_job(2, "level1/warm.py", 1 + ReadyQueue::kAffinityWindow));
  EXPECT_EQ(queue.take(a_seeker(DeviceKind::kCpu, "level1/warm.py"))->job.value, 2U);
}

TEST(ReadyQueue, DoesNotKeepAJudgeWarmForEver) {
  ProblemBook book;
  ReadyQueue queue(book);
  queue.add(a_waiting_job(1, "level1/cold.py", 1));
  queue.add(a_waiting_job(2, "level1/warm.py", 2 + ReadyQueue::kAffinityWindow));
  EXPECT_EQ(queue.take(a_seeker(DeviceKind::kCpu, "level1/warm.py"))->job.value, 1U);
}

TEST(ReadyQueue, GivesAJobOnlyToAWorkerThatHasItsDevice) {
  ProblemBook book;
  ReadyQueue queue(book);
  queue.add(a_waiting_job(1, "level1/a.py", 1, DeviceKind::kCuda));
  queue.add(a_waiting_job(2, "level1/a.py", 2));
  EXPECT_EQ(take_all(queue, a_seeker(DeviceKind::kCpu)), (Order{2}));
  EXPECT_EQ(take_all(queue, a_seeker(DeviceKind::kCuda)), (Order{1}));
}

TEST(ReadyQueue, PassesOverACrashedJobThatTheSeekerRefuses) {
  ProblemBook book;
  ReadyQueue queue(book);
  QueuedJob crashed = a_waiting_job(1, "level1/a.py", 1);
  crashed.crashed_on = {"w"};
  queue.add(crashed);
  queue.add(a_waiting_job(2, "level1/a.py", 2));
  auto seeker = a_seeker();
  seeker.accepts = [](const QueuedJob& job) { return job.crashed_on.empty(); };
  EXPECT_EQ(take_all(queue, seeker), (Order{2}));
  EXPECT_EQ(queue.size(), 1U);
}

TEST(ReadyQueue, AddingAgainMovesTheJob) {
  ProblemBook book;
  ReadyQueue queue(book);
  queue.add(a_waiting_job(1, "level1/a.py", 1));
  queue.add(a_waiting_job(2, "level1/a.py", 2));
  queue.add(a_waiting_job(1, "level1/a.py", 3));
  EXPECT_EQ(take_all(queue, a_seeker()), (Order{2, 1}));
}

TEST(ReadyQueue, RemovesAJob) {
  ProblemBook book;
  ReadyQueue queue(book);
  queue.add(a_waiting_job(1, "level1/a.py", 1));
  EXPECT_TRUE(queue.remove({1}));
  EXPECT_FALSE(queue.remove({1}));
  EXPECT_FALSE(queue.take(a_seeker()));
}

}  // namespace
}  // namespace autokernel::scheduling
