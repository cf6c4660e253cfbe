#include "coordinator/scheduling/problem_book.hpp"

#include <gtest/gtest.h>

#include "common/protocol/describe.hpp"

namespace autokernel::scheduling {
namespace {

using protocol::Record;
using protocol::Verdict;

Record a_timing(const std::string& problem, double reference_us) {
  Record record;
  record.kind = protocol::JobKind::kBaseline;
  record.problem = problem;
  record.verdict = Verdict::kTimed;
  record.timing.emplace();
  record.timing->reference_us.median = reference_us;
  return record;
}

Record a_try(const std::string& problem, Verdict verdict, double low, double median, double seconds = 1) {
  Record record = a_timing(problem, 100);
  record.kind = protocol::JobKind::kEvaluate;
  record.verdict = verdict;
  record.seconds = seconds;
  record.timing->speedup = protocol::SpeedupInterval{median, low, median, 0.95, 1};
  return record;
}

TEST(ProblemBook, RanksAllAlikeWhileNothingIsKnown) {
  ProblemBook book;
  book.add("level1/a.py");
  book.add("level1/b.py");
  EXPECT_EQ(book.rank("level1/a.py"), book.rank("level1/b.py"));
}

TEST(ProblemBook, PutsTheHeavierProblemFirst) {
  ProblemBook book;
  book.observe(a_timing("level1/light.py", 10));
  book.observe(a_timing("level1/heavy.py", 1000));
  EXPECT_EQ(book.rank("level1/heavy.py"), 1);
  EXPECT_EQ(book.rank("level1/light.py"), 0);
}

TEST(ProblemBook, CountsAnUnmeasuredProblemAsTheMeanOfItsGroup) {
  ProblemBook book;
  book.observe(a_timing("level1/light.py", 10));
  book.observe(a_timing("level1/heavy.py", 1000));
  book.add("level1/unknown.py");
  EXPECT_EQ(book.rank("level1/unknown.py"), 0.5);
}

TEST(ProblemBook, LowersAProblemThatIsAlreadyFast) {
  ProblemBook book;
  book.observe(a_try("level1/fast.py", Verdict::kRobust, 9, 10));
  book.observe(a_try("level1/slow.py", Verdict::kRobust, 1.1, 1.2));
  EXPECT_GT(book.priority("level1/slow.py"), book.priority("level1/fast.py"));
}

TEST(ProblemBook, LowersAProblemThatKeepsFailing) {
  ProblemBook book;
  book.observe(a_timing("level1/fresh.py", 100));
  for (int i = 0; i < 8; ++i) book.observe(a_try("level1/tried.py", Verdict::kWrongOutput, 5, 5));
  EXPECT_GT(book.priority("level1/fresh.py"), book.priority("level1/tried.py"));
}

TEST(ProblemBook, ConfirmsASpeedupOnlyAboveTheWholeInterval) {
  ProblemBook book;
  book.observe(a_timing("level1/a.py", 100));
  const double before = book.priority("level1/a.py");
  ProblemBook doubtful;
  doubtful.observe(a_try("level1/a.py", Verdict::kRobust, 0.9, 3));
  EXPECT_LT(doubtful.priority("level1/a.py"), before);  // a try that improved nothing
  ProblemBook confirmed;
  confirmed.observe(a_try("level1/a.py", Verdict::kRobust, 2.9, 3));
  const auto saved = protocol::unpack<ProblemHistory>(confirmed.save("level1/a.py"));
  ASSERT_TRUE(saved);
  EXPECT_EQ(saved->best_speedup, 3);
  EXPECT_EQ(saved->improvements, 1);
}

TEST(ProblemBook, TakesTheRooflineAsTheBoundWhereItIsKnown) {
  ProblemBook book;
  Record at_its_floor = a_timing("level1/done.py", 100);
  at_its_floor.roofline.emplace();
  at_its_floor.roofline->floor_us = 100;
  book.observe(at_its_floor);
  book.observe(a_timing("level1/open.py", 100));
  EXPECT_EQ(book.priority("level1/done.py"), 0);
  EXPECT_GT(book.priority("level1/open.py"), 0);
}

TEST(ProblemBook, LearnsNothingFromAnInfrastructureFailure) {
  ProblemBook book;
  book.add("level1/a.py");
  const std::string before = book.save("level1/a.py");
  book.observe(a_try("level1/a.py", Verdict::kInfrastructure, 5, 5));
  EXPECT_EQ(book.save("level1/a.py"), before);
}

TEST(ProblemBook, RestoresWhatASuccessorNeeds) {
  ProblemBook book;
  book.observe(a_timing("level1/light.py", 10));
  book.observe(a_try("level1/heavy.py", Verdict::kRobust, 1.9, 2));
  ProblemBook successor;
  const std::vector<std::string> problems{"level1/light.py", "level1/heavy.py"};
  for (const std::string& problem : problems) ASSERT_TRUE(successor.restore(problem, book.save(problem)));
  for (const std::string& problem : problems) {
    EXPECT_DOUBLE_EQ(successor.priority(problem), book.priority(problem)) << problem;
  }
  EXPECT_EQ(successor.restore("level1/bad.py", "not msgpack").error().code, Code::kInvalid);
}

TEST(ProblemBook, GroupsByFolder) {
  EXPECT_EQ(group_of("level1/19_ReLU.py"), "level1");
  EXPECT_EQ(group_of("relu.py"), "");
}

}  // namespace
}  // namespace autokernel::scheduling
