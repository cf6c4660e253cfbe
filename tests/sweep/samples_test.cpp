#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/protocol/describe.hpp"
#include "tests/support/machine.hpp"
#include "tests/sweep/client_process.hpp"
#include "tests/sweep/expected_verdicts.hpp"

namespace autokernel::test {
namespace {

TEST(Samples, EveryVerdictIsTheExpectedOne) {
  AUTOKERNEL_REQUIRE_REDIS_SERVER();
  AUTOKERNEL_REQUIRE_RUNNER();
  const Workplace place;
  // Fewer timing samples, and a limit that a hanging candidate reaches soon; honest ones need a tenth of it.
  const auto result =
      place.call({"sweep", "--out", "run", "--samples", "20", "--timeout", "60"}, std::chrono::minutes(25));
  ASSERT_EQ(result.status.code, 0) << result.errors;

  const auto verdicts = verdicts_in(place / "run/results.jsonl");
  std::map<std::string, const protocol::Record*> by_candidate;
  bool cuda = false;
  for (const auto& [identity, record] : verdicts) {
    by_candidate[record.candidate] = &record;
    cuda = cuda || record.candidate.ends_with(".cu");
  }
  std::size_t submitted = 0;
  for (const auto& [candidate, verdict] : expected_verdicts(cuda ? "cuda" : "cpu")) {
    const auto found = by_candidate.find(candidate);
    const std::string got =
        found == by_candidate.end() ? "skipped" : std::string(protocol::name_of(found->second->verdict));
    EXPECT_EQ(got, verdict) << candidate << ": " << (found == by_candidate.end() ? "" : found->second->detail);
    submitted += verdict == "skipped" ? 0 : 1;
  }
  EXPECT_EQ(verdicts.size(), submitted);
}

}  // namespace
}  // namespace autokernel::test
