#include "common/telemetry/metrics.hpp"

#include <gmock/gmock.h>

namespace autokernel::telemetry {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Metrics, AreWrittenInPrometheusText) {
  Metrics metrics;
  metrics.counter("autokernel_jobs_total", "Jobs.").add(3);
  metrics.gauge("autokernel_workers", "Workers.").set(2);
  const std::string text = metrics.text();
  EXPECT_THAT(text, HasSubstr("# TYPE autokernel_jobs_total counter"));
  EXPECT_THAT(text, HasSubstr("autokernel_jobs_total 3"));
  EXPECT_THAT(text, HasSubstr("autokernel_workers 2"));
}

TEST(Metrics, CountAnUnknownLabelValueAsOther) {
  Metrics metrics;
  auto verdicts = metrics.counters("autokernel_verdicts_total", "Verdicts.", {"verdict", {"correct", "timeout"}});
  verdicts.at("correct").add();
  verdicts.at("a value from outside").add();
  verdicts.at("and one more").add();
  EXPECT_EQ(verdicts.at("other").value(), 2);
  const std::string text = metrics.text();
  EXPECT_THAT(text, HasSubstr("verdict=\"correct\"} 1"));
  EXPECT_THAT(text, HasSubstr("verdict=\"timeout\"} 0"));
  EXPECT_THAT(text, Not(HasSubstr("outside")));
}

TEST(Metrics, PutObservationsIntoBuckets) {
  Metrics metrics;
  auto seconds = metrics.histogram("autokernel_job_seconds", "Lane time.", {1, 10});
  seconds.observe(0.5);
  seconds.observe(5);
  const std::string text = metrics.text();
  EXPECT_THAT(text, HasSubstr("autokernel_job_seconds_bucket{le=\"1\"} 1"));
  EXPECT_THAT(text, HasSubstr("autokernel_job_seconds_bucket{le=\"10\"} 2"));
  EXPECT_THAT(text, HasSubstr("autokernel_job_seconds_count 2"));
}

TEST(Metrics, GiveEachLabelValueItsOwnBuckets) {
  Metrics metrics;
  auto stages = metrics.histograms("autokernel_stage_seconds", "Stages.", {"stage", {"build", "smoke"}}, {1});
  stages.at("build").observe(2);
  EXPECT_THAT(metrics.text(), HasSubstr("autokernel_stage_seconds_count{stage=\"build\"} 1"));
  auto busy = metrics.gauges("autokernel_busy", "Busy.", {"device", {"cpu"}});
  busy.at("cpu").set(0.5);
  EXPECT_EQ(busy.at("cpu").value(), 0.5);
}

}  // namespace
}  // namespace autokernel::telemetry
