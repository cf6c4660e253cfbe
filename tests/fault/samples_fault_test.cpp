#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include "client/run_folder/run_folder.hpp"
#include "common/protocol/describe.hpp"
#include "tests/support/machine.hpp"
#include "tests/sweep/client_process.hpp"
#include "tests/sweep/expected_verdicts.hpp"
#include "tests/sweep/process_tree.hpp"

namespace autokernel::test {
namespace {

using ::testing::StartsWith;

/// Worker, coordinator, redis-server and client of one sweep over quick samples are killed one after the other, judges
/// and candidates at work each time.
TEST(SamplesFault, EveryPartKilledOnceAndEveryVerdictIsThereOnce) {
  AUTOKERNEL_REQUIRE_REDIS_SERVER();
  AUTOKERNEL_REQUIRE_RUNNER();
  const Workplace place;
  const std::vector<std::string> command{"sweep", "--level",   "1",  "--only",    "1,4,5,10", "--out",
                                         "run",   "--samples", "20", "--devices", "cpu"};
  const auto results = place / "run/results.jsonl";
  {
    system::ChildProcess sweep = place.start(command);
    std::size_t verdicts = 0;
    for (const char* program : {"autokernel-worker", "autokernel-coordinator", "redis-server"}) {
      ASSERT_TRUE(wait_for_verdicts(results, verdicts += 2, sweep)) << place.errors();
      const auto pid = child_running(sweep.pid(), program);
      ASSERT_TRUE(pid) << program << " does not run";
      ASSERT_EQ(::kill(*pid, SIGKILL), 0);
    }
    ASSERT_TRUE(wait_for_verdicts(results, verdicts += 2, sweep)) << place.errors();
    const auto children = descendants(sweep.pid());
    sweep.send_signal(SIGKILL);
    ASSERT_TRUE(sweep.wait(std::chrono::seconds(10)));
    EXPECT_TRUE(all_gone(children));
  }
  const std::string before = place.text_of("run/results.jsonl");
  const auto rerun = place.call(command, std::chrono::minutes(10));
  ASSERT_EQ(rerun.status.code, 0) << rerun.errors;
  EXPECT_THAT(place.text_of("run/results.jsonl"), StartsWith(before.substr(0, before.rfind('\n') + 1)));

  const auto expected = expected_verdicts("cpu");
  const auto verdicts = verdicts_in(results);
  const auto description = client::read_description(place / "run");
  ASSERT_TRUE(description);
  EXPECT_EQ(static_cast<std::int64_t>(verdicts.size()), description->verdicts);
  for (const auto& [identity, record] : verdicts) {
    EXPECT_EQ(protocol::name_of(record.verdict), expected.at(record.candidate)) << identity << ": " << record.detail;
  }
}

}  // namespace
}  // namespace autokernel::test
