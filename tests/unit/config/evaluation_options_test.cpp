#include "common/config/evaluation_options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace autokernel::config {
namespace {

class EvaluationOptionsTest : public ::testing::Test {
 protected:
  EvaluationOptionsTest() { bind_evaluation_options(program.command("eval", "one verdict", {}), options); }
  protocol::EvaluationOptions options;
  Program program{ProgramInfo{"autokernel", "evaluates kernels", {}}};
};

TEST_F(EvaluationOptionsTest, SetsEachOption) {
  const auto outcome = program.parse({"eval",
                                      "--protocol",
                                      "v0.1",
                                      "--precision",
                                      "fp16",
                                      "--stages",
                                      "correct",
                                      "--trials",
                                      "3",
                                      "--inputs",
                                      "cpu",
                                      "--weights",
                                      "copy",
                                      "--no-timing",
                                      "--samples",
                                      "20",
                                      "--timeout",
                                      "12.5",
                                      "--require-custom",
                                      "--sandbox",
                                      "off",
                                      "--seed",
                                      "7",
                                      "--batch",
                                      "4"});
  ASSERT_TRUE(outcome.proceed) << outcome.error;
  protocol::EvaluationOptions wanted;
  wanted.rules = "v0.1";
  wanted.precision = protocol::Precision::kFp16;
  wanted.stages = protocol::StageSet::kCorrect;
  wanted.trials = 3;
  wanted.inputs = protocol::InputSource::kCpu;
  wanted.weights = protocol::WeightSource::kCopy;
  wanted.timing = false;
  wanted.samples = 20;
  wanted.timeout_seconds = 12.5;
  wanted.require_custom = true;
  wanted.sandbox = protocol::SandboxMode::kOff;
  wanted.seed = 7;
  wanted.batch = 4;
  EXPECT_EQ(options, wanted);
}

TEST_F(EvaluationOptionsTest, KeepsTheDefaults) {
  ASSERT_TRUE(program.parse({"eval"}).proceed);
  EXPECT_EQ(options, protocol::EvaluationOptions{});
}

TEST_F(EvaluationOptionsTest, RefusesAnUnknownProtocol) {
  EXPECT_THAT(program.parse({"eval", "--protocol", "v0.2"}).error,
              ::testing::HasSubstr("--protocol: unknown value 'v0.2'; did you mean v0.1?"));
}

}  // namespace
}  // namespace autokernel::config
