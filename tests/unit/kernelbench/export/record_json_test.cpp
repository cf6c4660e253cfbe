#include "kernelbench/export/record_json.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "common/protocol/describe.hpp"
#include "kernelbench/export/json.hpp"
#include "tests/unit/kernelbench/records.hpp"

namespace autokernel::kernelbench {
namespace {

using protocol::Record;
using protocol::Value;
using protocol::Verdict;
using testing::HasSubstr;

Record a_full_record() {
  ARecord record(Verdict::kRobust, 19);
  record.timed(200, 100).stage(protocol::StageName::kSmoke, protocol::StageOutcome::kPassed);
  Record full = record;
  full.roofline = protocol::Roofline{"memory", 90, 0.9};
  full.kernels = {{"custom", {"relu_kernel"}}, {"library", {}}};
  full.vacuous = {"zeros"};
  full.environment["sandbox"] = "user,net,landlock";
  full.peak_memory_mb = 12.5;
  return full;
}

TEST(RecordLine, RoundTrips) {
  const Record record = a_full_record();
  const std::string line = record_line(record);
  EXPECT_EQ(line.find('\n'), std::string::npos);
  const auto parsed = parse_record(line);
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(protocol::to_value(*parsed), protocol::to_value(record));
}

TEST(RecordLine, HasThePublicNames) {
  const Value value = *parse_json(record_line(a_full_record()));
  for (const char* name :
       {"schema", "problem", "candidate", "sample", "verdict", "correct", "robust", "detail", "stages", "timing",
        "roofline", "kernels", "vacuous", "rule", "attempt", "seconds", "environment", "digests"}) {
    EXPECT_NE(value.find(name), nullptr) << name;
  }
  EXPECT_EQ(*value.find("schema"), Value(1));
  EXPECT_EQ(*value.find("verdict"), Value("robust"));
  EXPECT_EQ(to_json(*value.find("timing")->find("speedup")),
            R"({"median":2.0,"low":2.0,"high":2.0,"confidence":0.95,"pairs":2})");
  EXPECT_EQ(to_json(*value.find("environment")->find("sandbox")), R"(["user","net","landlock"])");
  EXPECT_EQ(to_json(value.find("stages")->as<Value::Array>()->at(0)),
            R"({"name":"smoke","outcome":"passed","seconds":0.5,"detail":""})");
}

TEST(RecordLine, HasNullForWhatDoesNotApply) {
  const Value value = *parse_json(record_line(ARecord(Verdict::kCompileError)));
  EXPECT_TRUE(value.find("timing")->is_nil());
  EXPECT_TRUE(value.find("roofline")->is_nil());
  EXPECT_TRUE(value.find("kernels")->is_nil());
}

TEST(RecordLine, SurvivesNumbersThatJsonCannotSay) {
  ARecord record(Verdict::kRobust);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  record.timed(200, 100).between(nan, std::numeric_limits<double>::infinity());
  record.record().timing->candidate_samples_us = {1, nan};
  record.record().max_difference = nan;
  const auto parsed = parse_record(record_line(record));
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_TRUE(std::isnan(parsed->timing->speedup->high));
  EXPECT_TRUE(std::isnan(parsed->timing->candidate_samples_us[1]));
  EXPECT_FALSE(parsed->max_difference);
}

TEST(ParseRecord, RefusesANewerSchemaInWords) {
  auto line = record_line(a_full_record());
  line.replace(line.find("\"schema\":1"), 10, "\"schema\":2");
  EXPECT_THAT(parse_record(line).error().message, HasSubstr("use a newer autokernel"));
}

TEST(ParseRecord, IgnoresFieldsItDoesNotKnowAndNamesTheOneThatIsWrong) {
  auto line = record_line(a_full_record());
  line.insert(1, "\"from_the_future\":[1],");
  EXPECT_TRUE(parse_record(line));
  line.replace(line.find("\"robust\""), 8, "\"rubbish\"");
  EXPECT_THAT(parse_record(line).error().message, HasSubstr("'verdict'"));
}

}  // namespace
}  // namespace autokernel::kernelbench
