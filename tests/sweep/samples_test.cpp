#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "common/protocol/describe.hpp"
#include "common/system/file.hpp"
#include "tests/support/machine.hpp"
#include "tests/sweep/client_process.hpp"

namespace autokernel::test {
namespace {

/// One line of samples/expected.tsv for a kind of device.
std::map<std::string, std::string> expected_verdicts(const std::string& device) {
  std::map<std::string, std::string> expected;
  const auto text = system::read_file(std::filesystem::path(AUTOKERNEL_SAMPLES) / "expected.tsv", 1U << 20U);
  EXPECT_TRUE(text);
  std::istringstream lines(text ? *text : "");
  std::string line;
  std::getline(lines, line);
  std::vector<std::string> columns;
  std::string cell;
  for (std::istringstream header(line); std::getline(header, cell, '\t');) columns.push_back(cell);
  const auto column = std::find(columns.begin(), columns.end(), device) - columns.begin();
  while (std::getline(lines, line)) {
    std::vector<std::string> cells;
    for (std::istringstream row(line); std::getline(row, cell, '\t');) cells.push_back(cell);
    expected[cells.at(0)] = cells.at(static_cast<std::size_t>(column));
  }
  return expected;
}

TEST(Samples, EveryVerdictIsTheExpectedOne) {
  AUTOKERNEL_REQUIRE_REDIS_SERVER();
  if (!std::filesystem::exists(std::filesystem::path(AUTOKERNEL_PROGRAM_FOLDER) / "autokernel-runner")) {
    if (is_ci()) FAIL() << "autokernel-runner is not built: PyTorch was not found";
    GTEST_SKIP() << "autokernel-runner is not built: PyTorch was not found";
  }
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
