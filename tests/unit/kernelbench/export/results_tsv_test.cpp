#include "kernelbench/export/results_tsv.hpp"

#include <gmock/gmock.h>

#include "tests/unit/kernelbench/records.hpp"

namespace autokernel::kernelbench {
namespace {

using protocol::Verdict;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

TEST(ResultsTsv, HasOneRowForEachCandidateAndEmptyCellsForWhatIsNotKnown) {
  const std::vector<protocol::Record> records{ARecord(Verdict::kRobust, 1).timed(200, 100),
                                              ARecord(Verdict::kCompileError, 2).detail("a\tb\nsecond line")};
  const auto text = tsv_text(tsv_rows(records));
  EXPECT_THAT(
      text,
      StartsWith(
          "experiment\ttag\tkernel_type\tthroughput_tflops\tlatency_us\tpct_peak\tspeedup_vs_pytorch\tcorrectness\t"
          "peak_vram_mb\tdescription\n"));
  EXPECT_THAT(text, HasSubstr("1\tlevel_1_problem_1_sample_0_kernel.py\tlevel1/1_P\t\t100\t\t2\tPASS\t\trobust\n"));
  EXPECT_THAT(text, HasSubstr("\t\t\t\t\tFAIL\t\tcompile_error: a b\n"));
}

TEST(ResultsTsv, RoundTrips) {
  ARecord record(Verdict::kRobust);
  record.timed(200, 100).record().peak_memory_mb = 12.5;
  record.record().roofline = protocol::Roofline{"memory", 50, 50};
  const auto rows = tsv_rows(std::vector<protocol::Record>{record});
  const auto parsed = parse_tsv(tsv_text(rows));
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(*parsed, rows);
}

TEST(ResultsTsv, FindsColumnsByName) {
  const auto parsed = parse_tsv(
      "extra\tdescription\tpeak_vram_mb\tcorrectness\tspeedup_vs_pytorch\tpct_peak\tlatency_us\tthroughput_"
      "tflops\tkernel_type\ttag\texperiment\r\n"
      "x\tfirst try\t\tPASS\t1.5\t\t\t3.25\tmatmul\tbase\t7\r\n");
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(parsed->at(0).experiment, 7);
  EXPECT_EQ(parsed->at(0).throughput_tflops, 3.25);
  EXPECT_EQ(parsed->at(0).description, "first try");
}

TEST(ResultsTsv, NamesTheLineThatIsWrong) {
  const auto header = tsv_text(std::vector<TsvRow>{});
  EXPECT_THAT(parse_tsv("a\tb\n").error().message, HasSubstr("'experiment'"));
  EXPECT_THAT(parse_tsv("").error().message, HasSubstr("'experiment'"));
  EXPECT_THAT(parse_tsv(header + "1\tx\n").error().message, HasSubstr("line 2"));
  EXPECT_THAT(parse_tsv(header + "1\tx\ty\tfast\t\t\t\tPASS\t\t\n").error().message,
              AllOf(HasSubstr("line 2"), HasSubstr("'fast'")));
}

}  // namespace
}  // namespace autokernel::kernelbench
