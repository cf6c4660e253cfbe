#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>

#include "tests/unit/runner/runner_under_test.hpp"
#include "worker/messages/builder.hpp"
#include "worker/messages/candidate.hpp"

namespace autokernel::runner {
namespace {

using messages::Failed;
using messages::FailureKind;
using messages::FromCandidate;
using messages::Item;
using messages::ItemKind;
using messages::TensorView;
using testing::Each;
using testing::ElementsAre;
using testing::Ge;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::uint64_t kArenaBytes = 1 << 20;
constexpr std::uint64_t kInput = 0;
constexpr std::uint64_t kOutput = 4096;
constexpr std::uint64_t kSpare = 8192;

constexpr const char* kProblem =
    "import torch\n"
    "class Model(torch.nn.Module):\n"
    "    def __init__(self, scale):\n"
    "        super().__init__()\n"
    "        self.weight = torch.nn.Parameter(torch.rand(1))\n"
    "    def forward(self, x): return x * self.weight\n"
    "def get_inputs(): return [torch.rand(4)]\n"
    "def get_init_inputs(): return [2.0]\n";

std::string model_new(const std::string& forward, const std::string& init = "self.scale = scale") {
  return "import torch\nclass ModelNew(torch.nn.Module):\n    def __init__(self, scale):\n        super().__init__()\n "
         "       " +
         init + "\n    def forward(self, x):\n        " + forward + "\n";
}

/// Plays the judge: owns the arena (a memfd) and asks.
class CandidateProcess : public testing::Test {
 protected:
  CandidateProcess()
      : fd_(::memfd_create("arena", MFD_CLOEXEC)), channel_(runner_.spawn(1, messages::Role::kCandidate)) {
    AUTOKERNEL_CHECK(::ftruncate(fd_.get(), kArenaBytes) == 0);
    base_ = static_cast<char*>(::mmap(nullptr, kArenaBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd_.get(), 0));
    std::memset(base_, 0xFF, kArenaBytes);
    const std::array<float, 4> input{1, -2, 3, -4};
    std::memcpy(base_ + kInput, input.data(), sizeof input);
    const auto frame = channel_.receive(std::chrono::minutes(3));
    AUTOKERNEL_CHECK(frame.has_value() && frame->has_value());
    started_ = *protocol::unpack_message<FromCandidate>((*frame)->bytes);
  }
  ~CandidateProcess() override { ::munmap(base_, kArenaBytes); }

  static Item tensor_item(std::uint64_t offset, std::string dtype = "float32") {
    Item item;
    item.kind = ItemKind::kTensor;
    item.tensor = TensorView{std::move(dtype), {4}, {1}, offset};
    return item;
  }
  static messages::Forward call() {
    messages::Forward call;
    call.inputs.arguments = {tensor_item(kInput)};
    call.place = {tensor_item(kOutput), kSpare, kArenaBytes - kSpare};
    return call;
  }
  std::vector<float> floats(std::uint64_t offset) const {
    std::vector<float> values(4);
    std::memcpy(values.data(), base_ + offset, 4 * sizeof(float));
    return values;
  }

  FromCandidate load(const std::string& text, protocol::Language language = protocol::Language::kPython,
                     const std::string& problem = kProblem) {
    messages::Load request;
    request.language = language;
    request.candidate_path = runner_.write("level_1_problem_1_sample_0_kernel.py", text);
    request.problem_path = runner_.write("problem.py", problem);
    request.artefact_folder = runner_.path("artefact");
    request.arena.bytes = kArenaBytes;
    return answer(request, {fd_.get()});
  }
  FromCandidate answer(const messages::ToCandidate& question, const std::vector<int>& fds = {}) {
    auto reply = ask<FromCandidate>(channel_, question, fds);
    if (reply) return *std::move(reply);
    ADD_FAILURE() << reply.error().message << "\n" << runner_.output(1);
    return Failed{};
  }
  /// Loaded and instantiated.
  void start(const std::string& text) {
    const auto loaded = load(text);
    ASSERT_TRUE(std::holds_alternative<messages::Loaded>(loaded)) << std::get<Failed>(loaded).message;
    const auto instantiated = answer(messages::Instantiate{});
    ASSERT_TRUE(std::holds_alternative<messages::Instantiated>(instantiated)) << std::get<Failed>(instantiated).message;
  }
  messages::Forwarded forward() {
    const auto reply = answer(call());
    if (const auto* done = std::get_if<messages::Forwarded>(&reply)) return *done;
    ADD_FAILURE() << std::get<Failed>(reply).message << std::get<Failed>(reply).traceback;
    return {};
  }

  RunnerUnderTest runner_;
  system::UniqueFd fd_;
  system::Channel channel_;
  char* base_ = nullptr;
  FromCandidate started_;
};

TEST_F(CandidateProcess, WritesItsResultWhereItIsExpected) {
  start(model_new("return x * self.scale"));
  const auto done = forward();
  EXPECT_THAT(done.violation, IsEmpty());
  EXPECT_EQ(done.result.tensor->offset, kOutput);
  EXPECT_THAT(floats(kOutput), ElementsAre(2, -4, 6, -8));
}

TEST_F(CandidateProcess, DrawsItsWeightsFromTheSeed) {
  start(model_new("return x * 0 + self.w", "self.w = torch.nn.Parameter(torch.rand(1))"));
  static_cast<void>(forward());
  const float first = floats(kOutput).front();
  messages::Instantiate again;
  const auto same = answer(again);
  EXPECT_THAT(std::get<messages::Instantiated>(same).state_names, ElementsAre("w"));
  static_cast<void>(forward());
  EXPECT_EQ(floats(kOutput).front(), first);
  again.seed = 43;
  static_cast<void>(answer(again));
  static_cast<void>(forward());
  EXPECT_NE(floats(kOutput).front(), first);
}

TEST_F(CandidateProcess, TakesTheReferencesWeightsWhereGiven) {
  ASSERT_TRUE(std::holds_alternative<messages::Loaded>(
      load(model_new("return x * 0 + self.w", "self.w = torch.nn.Parameter(torch.zeros(1))"))));
  messages::Instantiate request;
  request.weights = {{"w", TensorView{"float32", {1}, {1}, kInput + 8}}};
  ASSERT_TRUE(std::holds_alternative<messages::Instantiated>(answer(request)));
  static_cast<void>(forward());
  EXPECT_THAT(floats(kOutput), Each(3));
  request.weights.front().name = "other";
  const auto refused = answer(request);
  EXPECT_THAT(std::get<Failed>(refused).message, HasSubstr("ModelNew has no 'other'"));
}

TEST_F(CandidateProcess, TimesABlockAndKeepsOneResult) {
  start(model_new("return x + 1"));
  messages::TimeBlock block;
  block.calls.assign(7, call().inputs);
  block.place = call().place;
  block.keep = 3;
  const auto reply = answer(block);
  ASSERT_TRUE(std::holds_alternative<messages::BlockTimed>(reply)) << std::get<Failed>(reply).message;
  const auto& timed = std::get<messages::BlockTimed>(reply);
  EXPECT_THAT(timed.samples_us, SizeIs(7));
  EXPECT_THAT(timed.samples_us, Each(Ge(0)));
  EXPECT_THAT(floats(kOutput), ElementsAre(2, -1, 4, -3));
  EXPECT_EQ(timed.result.tensor->offset, kOutput);
}

TEST_F(CandidateProcess, GivesEachCallOfABlockItsOwnInputsAndSeed) {
  start(model_new("return x + torch.rand(1)"));
  messages::TimeBlock block;
  block.place = call().place;
  for (int i = 0; i < 3; ++i) {
    block.calls.push_back(call().inputs);
    block.calls.back().seed = 7;
    block.calls.back().arguments.front().tensor->offset = kInput + 16 * static_cast<std::uint64_t>(i);
    const std::array<float, 4> values{10.0F * static_cast<float>(i), 0, 0, 0};
    std::memcpy(base_ + kInput + 16 * i, values.data(), sizeof values);
  }
  std::vector<float> drawn;
  for (block.keep = 0; block.keep < 3; ++block.keep) {
    ASSERT_TRUE(std::holds_alternative<messages::BlockTimed>(answer(block)));
    drawn.push_back(floats(kOutput)[1]);
    EXPECT_FLOAT_EQ(floats(kOutput)[0], 10.0F * static_cast<float>(block.keep) + drawn.back());
  }
  EXPECT_THAT(drawn, Each(drawn.front())) << "one seed, one number";
}

TEST_F(CandidateProcess, LeadsAGroupThatNothingOfItLeaves) {
  const auto group = std::get<messages::Started>(started_).process_group;
  start("import os, subprocess\n" + model_new("subprocess.run(['sleep', '0'], start_new_session=True, check=True)\n"
                                              "        child = os.fork()\n"
                                              "        if child == 0:\n"
                                              "            os.setsid(); os.setpgid(0, 0)\n"
                                              "            os._exit(7 if os.getpgrp() == os.getppid() else 8)\n"
                                              "        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7\n"
                                              "        return x * os.getpgrp()"));
  EXPECT_THAT(forward().violation, IsEmpty());
  EXPECT_EQ(floats(kOutput).front(), static_cast<float>(group));
}

class CandidateGenerators : public CandidateProcess, public testing::WithParamInterface<const char*> {};

TEST_P(CandidateGenerators, AreSeededWithoutCallingWhatACandidatePutInTheirPlace) {
  start(
      "import random\nimport numpy.random\nhooked = 0.0\ndef hook(*unused):\n    global hooked\n    hooked = 1000.0\n"
      "random.seed = random.Random.seed = numpy.random.seed = hook\n" +
      model_new(std::string("return x * 0 + hooked + ") + GetParam()));
  static_cast<void>(forward());
  const float first = floats(kOutput).front();
  EXPECT_LT(first, 100);
  static_cast<void>(forward());
  EXPECT_EQ(floats(kOutput).front(), first) << "the same seed again";
}

INSTANTIATE_TEST_SUITE_P(OfEachLibrary, CandidateGenerators,
                         testing::Values("random.random()", "random.gauss(0, 1)", "numpy.random.rand()",
                                         "torch.rand(1)"));

TEST_F(CandidateProcess, PutsAResultOfAnotherStructureIntoTheSpareRoom) {
  start(model_new("return [x.double(), x]"));
  const auto done = forward();
  EXPECT_THAT(done.violation, IsEmpty());
  ASSERT_EQ(done.result.kind, ItemKind::kList);
  EXPECT_EQ(done.result.items[0].tensor->dtype, "float64");
  EXPECT_EQ(done.result.items[0].tensor->offset, kSpare);
  EXPECT_THAT(floats(done.result.items[1].tensor->offset), ElementsAre(1, -2, 3, -4));
  EXPECT_TRUE(std::isnan(floats(kOutput).front()));
}

TEST_F(CandidateProcess, DescribesWhatDoesNotFitWithoutCopyingIt) {
  start(model_new("return torch.zeros(1 << 22)"));
  const auto done = forward();
  EXPECT_EQ(done.result.tensor->offset, UINT64_MAX);
  EXPECT_THAT(done.result.tensor->shape, ElementsAre(1 << 22));
}

TEST_F(CandidateProcess, ShowsMemoryThatForwardDidNotWrite) {
  constexpr std::int64_t kElements = 1 << 14;
  start(model_new("return torch.empty(1 << 14)"));
  auto big = call();
  big.place.expected.tensor->shape = {kElements};
  ASSERT_TRUE(std::holds_alternative<messages::Forwarded>(answer(big)));
  std::vector<float> values(kElements);
  std::memcpy(values.data(), base_ + kOutput, kElements * sizeof(float));
  EXPECT_GT(std::count_if(values.begin(), values.end(), [](float value) { return std::isnan(value); }), kElements / 2);
}

TEST_F(CandidateProcess, NamesASubclassOfTensor) {
  start("import torch\nclass Lazy(torch.Tensor): pass\n" + model_new("return x.as_subclass(Lazy)"));
  const auto done = forward();
  EXPECT_THAT(done.violation, HasSubstr("result is a subclass of Tensor"));
  EXPECT_TRUE(std::isnan(floats(kOutput).front()));
}

TEST_F(CandidateProcess, AnswersAnExceptionAndLivesOn) {
  start(model_new("raise ValueError('not today')"));
  const auto reply = answer(call());
  ASSERT_TRUE(std::holds_alternative<Failed>(reply));
  EXPECT_EQ(std::get<Failed>(reply).message, "ValueError: not today");
  EXPECT_THAT(std::get<Failed>(reply).traceback, HasSubstr("in forward"));
  EXPECT_TRUE(std::holds_alternative<messages::Instantiated>(answer(messages::Instantiate{})));
}

TEST_F(CandidateProcess, TakesInitInputsThatComeAsATuple) {
  const std::string problem = "def get_init_inputs():\n    return (2.0,)\n";
  const auto loaded = load(model_new("return x * self.scale"), protocol::Language::kPython, problem);
  ASSERT_TRUE(std::holds_alternative<messages::Loaded>(loaded)) << std::get<Failed>(loaded).message;
  EXPECT_TRUE(std::holds_alternative<messages::Instantiated>(answer(messages::Instantiate{})));
}

TEST_F(CandidateProcess, LivesThroughAnExceptionWithoutATraceback) {
  // ModelNew() takes no arguments: C raises the TypeError before any line of Python has run.
  ASSERT_TRUE(std::holds_alternative<messages::Loaded>(load("class ModelNew: pass\n")));
  const auto reply = answer(messages::Instantiate{});
  ASSERT_TRUE(std::holds_alternative<Failed>(reply));
  EXPECT_THAT(std::get<Failed>(reply).message, HasSubstr("TypeError"));
}

TEST_F(CandidateProcess, SaysWhatTheFileLacks) {
  const auto reply = load("x = 1\n");
  EXPECT_EQ(std::get<Failed>(reply).kind, FailureKind::kException);
  EXPECT_EQ(std::get<Failed>(reply).message, "the file defines no class ModelNew");
}

TEST_F(CandidateProcess, TellsRunningOutOfMemoryApart) {
  start(model_new("return torch.empty(1 << 50)"));
  EXPECT_EQ(std::get<Failed>(answer(call())).kind, FailureKind::kOutOfMemory);
}

TEST_F(CandidateProcess, RefusesArgumentsOutsideTheArena) {
  start(model_new("return x"));
  auto wrong = call();
  wrong.inputs.arguments.front().tensor->offset = kArenaBytes - 4;
  EXPECT_THAT(std::get<Failed>(answer(wrong)).message, HasSubstr("outside the arena"));
}

TEST_F(CandidateProcess, RunsANativeKernel) {
  messages::Build build;
  build.language = protocol::Language::kCpp;
  build.source_path =
      runner_.write("kernel.cpp",
                    "#include <autokernel/kernel.h>\n#include <string.h>\n"
                    "AUTOKERNEL_KERNEL(const AutokernelCall* call) {\n"
                    "  const AutokernelTensor* x = &call->inputs[0].tensor;\n"
                    "  const float factor = ((const float*)call->weights[0].data)[0];\n"
                    "  if (call->num_inputs != 1) { strcpy(call->message, \"one input, please\"); return 7; }\n"
                    "  for (int64_t i = 0; i < x->shape[0]; ++i)\n"
                    "    ((float*)call->outputs[0].data)[i] = ((const float*)x->data)[i] * factor;\n"
                    "  return 0;\n}\n");
  build.artefact_folder = runner_.path("artefact");
  build.include_folder = AUTOKERNEL_INCLUDE_FOLDER;
  std::filesystem::create_directories(build.artefact_folder);
  auto builder = runner_.spawn(2, messages::Role::kBuilder);
  const auto built = ask<messages::FromBuilder>(builder, messages::ToBuilder(build));
  ASSERT_TRUE(built);
  ASSERT_EQ(std::get<messages::Built>(*built).outcome, messages::BuildOutcome::kBuilt);

  ASSERT_TRUE(std::holds_alternative<messages::Loaded>(load("", protocol::Language::kCpp)));
  messages::Instantiate request;
  request.weights = {{"weight", TensorView{"float32", {1}, {1}, kInput + 8}}};
  ASSERT_TRUE(std::holds_alternative<messages::Instantiated>(answer(request)));
  static_cast<void>(forward());
  EXPECT_THAT(floats(kOutput), ElementsAre(3, -6, 9, -12));

  auto two = call();
  two.inputs.arguments.push_back(two.inputs.arguments.front());
  const auto refused = answer(two);
  EXPECT_EQ(std::get<Failed>(refused).kind, FailureKind::kNativeError);
  EXPECT_THAT(std::get<Failed>(refused).message, HasSubstr("returned 7: one input, please"));
}

}  // namespace
}  // namespace autokernel::runner
