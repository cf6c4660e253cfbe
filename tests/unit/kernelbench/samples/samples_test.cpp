#include <gmock/gmock.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "common/protocol/describe.hpp"
#include "common/protocol/verdict.hpp"
#include "kernelbench/candidate/folder.hpp"
#include "kernelbench/problem/catalogue.hpp"

namespace autokernel::kernelbench {
namespace {

using protocol::DeviceKind;
using protocol::Verdict;
using testing::IsEmpty;

const std::filesystem::path kSamples = AUTOKERNEL_SAMPLES;

struct Expected {
  std::string cpu;
  std::string cuda;
};

std::map<std::string, Expected> read_expected() {
  std::map<std::string, Expected> expected;
  std::ifstream file(kSamples / "expected.tsv");
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::istringstream cells(line);
    std::string name;
    Expected verdicts;
    std::getline(cells, name, '\t');
    std::getline(cells, verdicts.cpu, '\t');
    std::getline(cells, verdicts.cuda, '\t');
    EXPECT_TRUE(expected.emplace(name, verdicts).second) << name << " stands twice in expected.tsv";
  }
  return expected;
}

class Samples : public testing::Test {
 protected:
  Catalogue catalogue_ = load_catalogue(kSamples / "problems").value();
  CandidateFolder folder_ = load_candidates(kSamples / "candidates", catalogue_).value();
  std::map<std::string, Expected> expected_ = read_expected();
};

TEST_F(Samples, AreAllUsable) {
  EXPECT_GE(catalogue_.problems.size(), 12U);
  for (const Problem& problem : catalogue_.problems) EXPECT_TRUE(problem.usable()) << problem.broken;
  for (const Candidate& candidate : folder_.candidates) EXPECT_TRUE(candidate.usable()) << candidate.broken;
  EXPECT_THAT(catalogue_.ignored, IsEmpty());
  EXPECT_THAT(folder_.unmatched, IsEmpty());
  EXPECT_THAT(folder_.ignored, IsEmpty());
}

TEST_F(Samples, HaveAFirstSampleForEveryProblem) {
  for (const Problem& problem : catalogue_.problems) {
    const auto candidates = folder_.of(problem.source);
    ASSERT_FALSE(candidates.empty()) << problem.source.name;
    EXPECT_EQ(candidates.front()->source.sample, 0) << problem.source.name;
  }
}

TEST_F(Samples, AndTheExpectedVerdictsAreTheSameSet) {
  std::set<std::string> names;
  for (const Candidate& candidate : folder_.candidates) names.insert(candidate.source.name);
  std::set<std::string> listed;
  for (const auto& [name, verdicts] : expected_) listed.insert(name);
  EXPECT_EQ(names, listed);
}

TEST_F(Samples, AreSkippedExactlyWhereTheyNeedAnotherDevice) {
  for (const Candidate& candidate : folder_.candidates) {
    const Expected& verdicts = expected_.at(candidate.source.name);
    const DeviceKind needs = candidate.source.needs;
    EXPECT_EQ(verdicts.cpu == "skipped", needs == DeviceKind::kCuda || needs == DeviceKind::kHip)
        << candidate.source.name;
    EXPECT_EQ(verdicts.cuda == "skipped", needs == DeviceKind::kCpu || needs == DeviceKind::kHip)
        << candidate.source.name;
  }
}

TEST_F(Samples, ShowEveryVerdictThatACandidateCanEarnOnTheCpu) {
  std::set<std::string> shown;
  for (const auto& [name, verdicts] : expected_) {
    for (const std::string& verdict : {verdicts.cpu, verdicts.cuda}) {
      EXPECT_TRUE(verdict == "skipped" || protocol::parse_name<Verdict>(verdict)) << name << ": " << verdict;
    }
    shown.insert(verdicts.cpu);
  }
  for (const Verdict verdict :
       {Verdict::kRobust, Verdict::kCompileError, Verdict::kLoadError, Verdict::kRuntimeError, Verdict::kWrongStructure,
        Verdict::kWrongOutput, Verdict::kUnstable, Verdict::kNondeterministic, Verdict::kEdgeFailure,
        Verdict::kOutOfMemory, Verdict::kTimeout, Verdict::kCrashed}) {
    EXPECT_TRUE(shown.contains(std::string(protocol::name_of(verdict)))) << protocol::name_of(verdict);
  }
}

}  // namespace
}  // namespace autokernel::kernelbench
