#include "tests/sweep/expected_verdicts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <vector>

#include "common/system/file.hpp"

namespace autokernel::test {

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

bool has_runner() {
  return std::filesystem::exists(std::filesystem::path(AUTOKERNEL_PROGRAM).parent_path() / "autokernel-runner");
}

}  // namespace autokernel::test
