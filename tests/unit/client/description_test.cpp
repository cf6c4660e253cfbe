#include "client/run_folder/description.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace autokernel::client {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

RunDescription a_description() {
  RunDescription description;
  description.version = "0.1.0";
  description.problems = "/here/problems";
  description.devices = "cpu";
  description.verdicts = 1;
  description.problem_digests = {{"level1/19_ReLU.py", "aa"}};
  description.candidate_digests = {{"level_1_problem_19_sample_0_kernel.py", "bb"}};
  return description;
}

TEST(RunDescription, ReadsBackWhatItWrote) {
  RunDescription description = a_description();
  description.options.batch = 4;
  description.options.timing = false;
  const auto read = parse_description(format_description(description), "run.toml");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_THAT(differences(description, *read), IsEmpty());
  EXPECT_EQ(read->options, description.options);
  EXPECT_EQ(read->problem_digests, description.problem_digests);
}

TEST(RunDescription, AnOptionThatIsNotSetStaysUnset) {
  const auto read = parse_description(format_description(a_description()), "run.toml");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->options.batch, std::nullopt);
}

TEST(RunDescription, RefusesANewerSchemaEvenWhenItLacksFields) {
  const auto read = parse_description("schema = 2\nnews = true\n", "runs/a/run.toml");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, Code::kInvalid);
  EXPECT_THAT(read.error().message, HasSubstr("runs/a/run.toml: written by a newer autokernel (schema 2"));
}

TEST(RunDescription, RefusesAFileOfSomethingElse) {
  EXPECT_THAT(parse_description("title = \"x\"\n", "run.toml").error().message, HasSubstr("'schema' is missing"));
}

TEST(RunDescriptionDifferences, NamesEachOptionWithBothValues) {
  RunDescription now = a_description();
  now.options.precision = protocol::Precision::kBf16;
  now.options.timing = false;
  now.options.batch = 2;
  now.devices = "all";
  EXPECT_THAT(differences(a_description(), now),
              ElementsAre("devices: cpu then, all now", "precision: fp32 then, bf16 now", "timing: yes then, no now",
                          "batch: none then, 2 now"));
}

TEST(RunDescriptionDifferences, NamesFilesThatCameWentOrChanged) {
  RunDescription now = a_description();
  now.problem_digests["level1/19_ReLU.py"] = "cc";
  now.candidate_digests = {{"level_1_problem_19_sample_1_kernel.py", "bb"}};
  EXPECT_THAT(differences(a_description(), now),
              ElementsAre("problem level1/19_ReLU.py: its text has changed",
                          "candidate level_1_problem_19_sample_0_kernel.py: then, not now",
                          "candidate level_1_problem_19_sample_1_kernel.py: now, not then"));
}

TEST(RunDescriptionDifferences, PlaceVersionAndTimeAreNone) {
  RunDescription now = a_description();
  now.problems = "/moved/problems";
  now.version = "0.2.0";
  now.created = "2026-01-01T00:00:00Z";
  EXPECT_THAT(differences(a_description(), now), IsEmpty());
}

TEST(RunDescription, ABrokenFileSaysWhereAndWhatToDo) {
  const auto read = parse_description("[[[\n", "runs/a/run.toml");
  ASSERT_FALSE(read);
  EXPECT_EQ(exit_code_of(read.error().code), 2);
  EXPECT_THAT(read.error().message, HasSubstr("runs/a/run.toml, line 1"));
  EXPECT_THAT(read.error().message, HasSubstr("restore the file, or use another run folder"));
}

}  // namespace
}  // namespace autokernel::client
