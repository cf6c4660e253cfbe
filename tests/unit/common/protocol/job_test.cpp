#include "common/protocol/job.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "common/protocol/describe.hpp"

namespace autokernel::protocol {
namespace {

JobSpec a_spec() {
  JobSpec spec;
  spec.problem = {.level = 1, .id = 19, .name = "level1/19_ReLU.py", .text = "class Model: ..."};
  spec.candidate = {.name = "level_1_problem_19_sample_0_kernel.py", .text = "class ModelNew: ..."};
  return spec;
}

TEST(SubmitKey, IsTheSameForTheSameSpec) { EXPECT_EQ(submit_key_of(a_spec()), submit_key_of(a_spec())); }

TEST(SubmitKey, DependsOnEverythingThatChangesTheVerdict) {
  const std::vector<std::function<void(JobSpec&)>> changes{
      [](JobSpec& spec) { spec.kind = JobKind::kBaseline; },
      [](JobSpec& spec) { spec.problem.text += "#"; },
      [](JobSpec& spec) { spec.candidate.text += "#"; },
      [](JobSpec& spec) { spec.candidate.sample = 1; },
      [](JobSpec& spec) { spec.candidate.language = Language::kCpp; },
      [](JobSpec& spec) { spec.options.rules = "v0.1"; },
      [](JobSpec& spec) { spec.options.precision = Precision::kBf16; },
      [](JobSpec& spec) { spec.options.seed = 43; },
      [](JobSpec& spec) { spec.options.batch = 4; },
      [](JobSpec& spec) { spec.options.trials = 6; },
  };
  for (std::size_t i = 0; i < changes.size(); ++i) {
    JobSpec changed = a_spec();
    changes[i](changed);
    EXPECT_NE(submit_key_of(changed), submit_key_of(a_spec())) << "change " << i;
  }
}

TEST(JobSpec, KeepsItsKeyOverTheWire) {
  const auto received = unpack<JobSpec>(pack(a_spec()));
  ASSERT_TRUE(received) << received.error().message;
  EXPECT_EQ(submit_key_of(*received), submit_key_of(a_spec()));
}

}  // namespace
}  // namespace autokernel::protocol
