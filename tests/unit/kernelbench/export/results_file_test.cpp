#include "kernelbench/export/results_file.hpp"

#include <gmock/gmock.h>

#include "kernelbench/export/record_json.hpp"
#include "tests/unit/kernelbench/files.hpp"
#include "tests/unit/kernelbench/records.hpp"

namespace autokernel::kernelbench {
namespace {

using protocol::Verdict;
using test::TemporaryFolder;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class ResultsFileTest : public testing::Test {
 protected:
  void append_raw(std::string_view bytes) { std::ofstream(path_, std::ios::app | std::ios::binary) << bytes; }

  TemporaryFolder folder_;
  std::filesystem::path path_ = folder_ / "results.jsonl";
};

TEST_F(ResultsFileTest, IsEmptyWhenMissing) {
  const auto results = read_results(path_);
  ASSERT_TRUE(results);
  EXPECT_THAT(results->records, IsEmpty());
  EXPECT_FALSE(results->torn);
}

TEST_F(ResultsFileTest, GivesBackWhatWasAppendedInOrder) {
  ASSERT_TRUE(append_record(path_, ARecord(Verdict::kRobust, 2)));
  ASSERT_TRUE(append_record(path_, ARecord(Verdict::kTimeout, 1)));
  const auto results = read_results(path_);
  ASSERT_EQ(results->records.size(), 2U);
  EXPECT_EQ(results->records[0].problem_id, 2);
  EXPECT_EQ(results->whole_bytes, std::filesystem::file_size(path_));
  EXPECT_THAT(results->defects, IsEmpty());
}

TEST_F(ResultsFileTest, CountsEachVerdictOnceAndAFailureOfTheMachineOnlyUntilThereIsOne) {
  for (const Verdict verdict :
       {Verdict::kInfrastructure, Verdict::kRobust, Verdict::kInfrastructure, Verdict::kTimeout}) {
    ASSERT_TRUE(append_record(path_, ARecord(verdict, 1)));
  }
  ASSERT_TRUE(append_record(path_, ARecord(Verdict::kInfrastructure, 2)));
  const auto results = read_results(path_);
  ASSERT_EQ(results->records.size(), 2U);
  EXPECT_EQ(results->records[0].verdict, Verdict::kRobust);
  EXPECT_EQ(results->records[1].verdict, Verdict::kInfrastructure);
}

TEST_F(ResultsFileTest, LeavesATornLastLineOutAndCutsItBeforeTheNextAppend) {
  ASSERT_TRUE(append_record(path_, ARecord(Verdict::kRobust, 1)));
  append_raw(record_line(ARecord(Verdict::kRobust, 2)).substr(0, 50));
  const auto torn = read_results(path_);
  ASSERT_TRUE(torn);
  EXPECT_EQ(torn->records.size(), 1U);
  EXPECT_TRUE(torn->torn);
  EXPECT_THAT(torn->defects, ElementsAre(AllOf(HasSubstr("line 2"), HasSubstr("cut short"))));

  ASSERT_TRUE(cut_torn_tail(path_, *torn));
  ASSERT_TRUE(append_record(path_, ARecord(Verdict::kRobust, 3)));
  const auto whole = read_results(path_);
  EXPECT_EQ(whole->records.size(), 2U);
  EXPECT_THAT(whole->defects, IsEmpty());
}

TEST_F(ResultsFileTest, TakesALineWithoutItsNewlineAsTorn) {
  append_raw(record_line(ARecord(Verdict::kRobust, 1)));
  EXPECT_TRUE(read_results(path_)->torn);
  EXPECT_THAT(read_results(path_)->records, IsEmpty());
}

TEST_F(ResultsFileTest, SkipsABadLineInTheMiddleAndNamesIt) {
  ASSERT_TRUE(append_record(path_, ARecord(Verdict::kRobust, 1)));
  append_raw("{\"schema\":1,{\n\xFF\x00\n");
  ASSERT_TRUE(append_record(path_, ARecord(Verdict::kRobust, 2)));
  const auto results = read_results(path_);
  EXPECT_EQ(results->records.size(), 2U);
  EXPECT_THAT(results->defects, testing::SizeIs(2));
  EXPECT_THAT(results->defects.at(0), HasSubstr("line 2"));
}

TEST_F(ResultsFileTest, RefusesTheWholeFileOfANewerProgram) {
  append_raw("{\"schema\":7}\n");
  const auto results = read_results(path_);
  ASSERT_FALSE(results);
  EXPECT_EQ(results.error().code, Code::kInvalid);
  EXPECT_THAT(results.error().message, AllOf(HasSubstr("schema 7"), HasSubstr("line 1")));
}

}  // namespace
}  // namespace autokernel::kernelbench
