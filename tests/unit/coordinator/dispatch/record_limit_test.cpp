#include "coordinator/dispatch/record_limit.hpp"

#include <gtest/gtest.h>

namespace autokernel::dispatch {
namespace {

protocol::Record a_record_with(std::size_t samples) {
  protocol::Record record;
  record.problem = "level1/a.py";
  record.detail = "fine";
  record.timing.emplace();
  record.timing->candidate_us = protocol::SampleSummary{1, 1, 0, 1, 1, static_cast<std::int64_t>(samples)};
  record.timing->candidate_samples_us.assign(samples, 1.5);
  record.timing->reference_samples_us.assign(samples, 2.5);
  return record;
}

TEST(RecordLimit, LeavesASmallRecordAlone) {
  const auto record = a_record_with(10);
  EXPECT_EQ(*pack_within(record, 1U << 20U), protocol::pack(record));
}

TEST(RecordLimit, ThinsSamplesAndSaysSo) {
  const auto packed = pack_within(a_record_with(1000), 4000);
  ASSERT_TRUE(packed);
  EXPECT_LE(packed->size(), 4000U);
  const auto record = protocol::unpack<protocol::Record>(*packed);
  ASSERT_TRUE(record);
  EXPECT_GT(record->timing->candidate_samples_us.size(), 10U);
  EXPECT_EQ(record->timing->candidate_us->samples, 1000);
  EXPECT_EQ(record->detail.rfind("fine; timing samples thinned", 0), 0U);
}

TEST(RecordLimit, RefusesWhatNoThinningHelps) {
  auto record = a_record_with(10);
  record.detail.assign(5000, 'x');
  EXPECT_EQ(pack_within(record, 4000).error().code, Code::kInvalid);
}

}  // namespace
}  // namespace autokernel::dispatch
