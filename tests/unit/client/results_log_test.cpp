#include "client/run_folder/results_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "common/system/file.hpp"
#include "kernelbench/export/record_json.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/unit/client/some_record.hpp"

namespace autokernel::client {
namespace {

using ::testing::SizeIs;

constexpr std::size_t kMegabyte = std::size_t{1} << 20U;

class ResultsLogTest : public ::testing::Test {
 protected:
  test::TemporaryFolder folder_;
  std::filesystem::path path_ = folder_ / "results.jsonl";
  const protocol::Record first_ = some_record("level1/1_a.py", "a.py");
  const protocol::Record second_ = some_record("level1/2_b.py", "b.py", protocol::Verdict::kWrongOutput);
};

TEST_F(ResultsLogTest, HoldsWhatAnEarlierProcessWrote) {
  ASSERT_TRUE(ResultsLog::open(path_)->append(first_));
  const auto log = ResultsLog::open(path_);
  ASSERT_TRUE(log);
  EXPECT_TRUE(log->holds(identity_of(first_)));
  EXPECT_FALSE(log->holds(identity_of(second_)));
}

TEST_F(ResultsLogTest, WritesAVerdictOnce) {
  auto log = ResultsLog::open(path_);
  EXPECT_TRUE(*log->append(first_));
  EXPECT_FALSE(*log->append(first_));
  EXPECT_THAT(ResultsLog::open(path_)->records(), SizeIs(1));
}

TEST_F(ResultsLogTest, AVerdictTakesThePlaceOfAFailureOfTheMachine) {
  const protocol::Record failed = some_record("level1/1_a.py", "a.py", protocol::Verdict::kInfrastructure);
  auto log = ResultsLog::open(path_);
  EXPECT_TRUE(*log->append(failed));
  EXPECT_FALSE(log->holds(identity_of(failed)));
  EXPECT_TRUE(*log->append(second_));
  EXPECT_EQ(log->settled(), 1U);
  auto reopened = ResultsLog::open(path_);
  EXPECT_TRUE(*reopened->append(failed)) << "it may fail again";
  EXPECT_TRUE(*reopened->append(first_));
  EXPECT_FALSE(*reopened->append(failed)) << "a verdict is final";
  const auto later = ResultsLog::open(path_);
  for (const ResultsLog* one : {&std::as_const(*reopened), &*later}) {
    ASSERT_THAT(one->records(), SizeIs(2));
    EXPECT_EQ(one->records()[0].verdict, protocol::Verdict::kRobust);
    EXPECT_EQ(one->settled(), 2U);
  }
}

TEST_F(ResultsLogTest, CutsOffALineThatACrashLeftUnfinished) {
  const std::string whole = kernelbench::record_line(first_) + "\n";
  ASSERT_TRUE(system::write_file(path_, whole + kernelbench::record_line(second_).substr(0, 60)));
  auto log = ResultsLog::open(path_);
  ASSERT_TRUE(log);
  EXPECT_THAT(log->records(), SizeIs(1));
  ASSERT_TRUE(log->append(second_));
  EXPECT_EQ(*system::read_file(path_, kMegabyte), whole + kernelbench::record_line(second_) + "\n");
}

TEST_F(ResultsLogTest, NamesALineThatIsNoVerdictAndKeepsTheRest) {
  ASSERT_TRUE(system::write_file(path_, "{\"nonsense\": 1}\n" + kernelbench::record_line(first_) + "\n"));
  const auto log = ResultsLog::open(path_);
  ASSERT_TRUE(log);
  EXPECT_THAT(log->defects(), SizeIs(1));
  EXPECT_TRUE(log->holds(identity_of(first_)));
}

TEST_F(ResultsLogTest, CountsADoubledLineOnce) {
  const std::string line = kernelbench::record_line(first_) + "\n";
  ASSERT_TRUE(system::write_file(path_, line + line));
  EXPECT_THAT(ResultsLog::open(path_)->records(), SizeIs(1));
}

}  // namespace
}  // namespace autokernel::client
