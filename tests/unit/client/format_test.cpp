#include "client/progress/format.hpp"

#include <gtest/gtest.h>

#include "tests/unit/client/some_record.hpp"

namespace autokernel::client {
namespace {

using namespace std::chrono_literals;

protocol::Record timed_record() {
  protocol::Record record = some_record("level1/19_ReLU.py", "a.py");
  record.timing.emplace();
  record.timing->speedup = protocol::SpeedupInterval{1.93, 1.91, 1.95, 0.95, 2};
  return record;
}

TEST(VerdictLine, ShowsTheSpeedupWithItsInterval) {
  EXPECT_EQ(verdict_line(timed_record(), Paint(false)), "level1/19_ReLU.py sample 0 robust 1.93x [1.91, 1.95]");
}

TEST(VerdictLine, ShowsTheFirstLineOfWhatWentWrong) {
  protocol::Record record = some_record("level1/19_ReLU.py", "a.py", protocol::Verdict::kCompileError);
  record.detail = "expected ';'\nand more";
  record.sample = 2;
  EXPECT_EQ(verdict_line(record, Paint(false)), "level1/19_ReLU.py sample 2 compile_error expected ';'");
}

TEST(VerdictLine, NamesTheKindOfCheating) {
  protocol::Record record = some_record("level1/19_ReLU.py", "a.py", protocol::Verdict::kCheating);
  record.cheating_kind = "timer";
  EXPECT_EQ(verdict_line(record, Paint(false)), "level1/19_ReLU.py sample 0 cheating(timer)");
}

TEST(VerdictLine, ABaselineShowsTheReferencesTime) {
  protocol::Record record = some_record("level1/19_ReLU.py", "", protocol::Verdict::kTimed);
  record.kind = protocol::JobKind::kBaseline;
  record.timing.emplace();
  record.timing->reference_us.median = 1234.5;
  EXPECT_EQ(verdict_line(record, Paint(false)), "level1/19_ReLU.py timed 1.23 ms");
}

TEST(VerdictLine, IsColouredOnlyWhenAsked) {
  EXPECT_NE(verdict_line(timed_record(), Paint(true)).find("\x1b[32mrobust\x1b[0m"), std::string::npos);
  EXPECT_EQ(verdict_line(timed_record(), Paint(false)).find('\x1b'), std::string::npos);
}

TEST(CallTimeText, ChoosesItsUnit) {
  EXPECT_EQ(call_time_text(8.534), "8.53 us");
  EXPECT_EQ(call_time_text(10240), "10.2 ms");
  EXPECT_EQ(call_time_text(1.5e6), "1.5 s");
}

TEST(DurationText, ChoosesItsUnit) {
  EXPECT_EQ(duration_text(12s), "12 s");
  EXPECT_EQ(duration_text(250s), "4 min 10 s");
  EXPECT_EQ(duration_text(10920s), "3 h 02 min");
}

TEST(BarText, ShowsShareRateRemainingTimeAndCounts) {
  ProgressState state;
  state.done = 15;
  state.total = 60;
  state.fresh = 10;
  state.elapsed = 5s;
  state.verdicts = {{"robust", 12}, {"wrong_output", 3}};
  EXPECT_EQ(bar_text(state, 200), "[#####---------------] 15/60  2.0/s  23 s left  robust 12, wrong_output 3");
}

TEST(BarText, KnowsNoRateBeforeTheFirstFreshVerdict) {
  ProgressState state;
  state.done = 5;
  state.total = 10;
  state.elapsed = 30s;
  EXPECT_EQ(bar_text(state, 200), "[##########----------] 5/10");
}

TEST(BarText, CountsSlowRatesByTheMinute) {
  ProgressState state;
  state.done = 1;
  state.total = 2;
  state.fresh = 1;
  state.elapsed = 30s;
  EXPECT_EQ(bar_text(state, 200), "[##########----------] 1/2  2.0/min  30 s left");
}

TEST(BarText, FitsItsWidth) {
  ProgressState state;
  state.total = 10;
  EXPECT_EQ(bar_text(state, 10).size(), 10U);
}

TEST(CountsText, ListsTheMostFrequentFirst) {
  EXPECT_EQ(counts_text({{"correct", 1}, {"robust", 4}, {"timeout", 2}}), "robust 4, timeout 2, correct 1");
}

}  // namespace
}  // namespace autokernel::client
