#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <fstream>

#include "tests/unit/runner/runner_under_test.hpp"
#include "worker/messages/builder.hpp"

namespace autokernel::runner {
namespace {

using messages::Role;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

messages::ToBuilder import_of(const RunnerUnderTest& runner, const std::string& path) {
  messages::Build build;
  build.source_path = path;
  build.artefact_folder = runner.path("");
  build.include_folder = AUTOKERNEL_INCLUDE_FOLDER;
  return build;
}

TEST(ZygoteProcess, SaysWhichTorchItHas) {
  const RunnerUnderTest runner;
  EXPECT_THAT(runner.environment().at("torch"), Not(IsEmpty()));
  EXPECT_THAT(runner.environment().at("python"), HasSubstr("3."));
  EXPECT_EQ(runner.environment().count("torch_cuda"), 1U);
}

TEST(ZygoteProcess, ReportsHowAChildEnded) {
  RunnerUnderTest runner;
  auto well = runner.spawn(1, Role::kCandidate);
  well.close();
  const auto first = runner.next_exit();
  EXPECT_EQ(first.child, 1U);
  EXPECT_EQ(first.code, 0);
  EXPECT_EQ(first.signal, 0);

  auto crash = runner.spawn(2, Role::kBuilder);
  const auto path = runner.write("crash.py", "import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)\n");
  ASSERT_TRUE(crash.send(protocol::pack_message(import_of(runner, path))));
  const auto second = runner.next_exit();
  EXPECT_EQ(second.child, 2U);
  EXPECT_EQ(second.signal, SIGSEGV);
}

TEST(ZygoteProcess, KillsAChildWithEverythingItStarted) {
  RunnerUnderTest runner;
  auto channel = runner.spawn(1, Role::kBuilder);
  const auto path = runner.write("family.py",
                                 "import subprocess, time\nchild = subprocess.Popen(['sleep', "
                                 "'600'])\nprint(child.pid, flush=True)\ntime.sleep(600)\n");
  ASSERT_TRUE(channel.send(protocol::pack_message(import_of(runner, path))));
  while (runner.output(1).find('\n') == std::string::npos) {
  }
  const auto grandchild = static_cast<pid_t>(std::stol(runner.output(1)));
  EXPECT_EQ(::kill(grandchild, 0), 0);
  runner.kill(1);
  EXPECT_EQ(runner.next_exit().signal, SIGKILL);
  // Orphaned, it becomes a zombie of whoever adopts it before it is gone; either way it runs no more.
  while (::kill(grandchild, 0) == 0) {
    std::string state;
    std::getline(std::ifstream("/proc/" + std::to_string(grandchild) + "/stat"), state);
    if (state.find(") Z") != std::string::npos) break;
  }
}

TEST(ZygoteProcess, GivesAChildItsEnvironmentAndFolder) {
  RunnerUnderTest runner;
  auto channel = runner.spawn(1, Role::kBuilder);
  const auto path = runner.write("look.py",
                                 "import ctypes, os\nprint(os.environ['AUTOKERNEL_TEST_WORD'], os.getcwd())\n"
                                 "get = ctypes.CDLL(None).getenv\nget.restype = ctypes.c_char_p\n"
                                 "print('C', get(b'AUTOKERNEL_TEST_WORD').decode())\n"
                                 "print('descriptors', sorted(os.listdir('/proc/self/fd'))[:4])\n");
  ASSERT_TRUE((ask<messages::FromBuilder>(channel, import_of(runner, path))));
  EXPECT_EQ(runner.next_exit().code, 0);
  EXPECT_THAT(runner.output(1), HasSubstr("heard " + runner.path("").substr(0, runner.path("").size() - 1)));
  EXPECT_THAT(runner.output(1), HasSubstr("C heard"));
}

TEST(ZygoteProcess, EndsWithItsAgentAndTakesItsChildrenAlong) {
  RunnerUnderTest runner;
  auto channel = runner.spawn(1, Role::kCandidate);
  EXPECT_EQ(runner.stop().code, 0);
  auto end = channel.receive(std::chrono::minutes(1));
  if (end) end = channel.receive(std::chrono::minutes(1));  // behind its Started
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().code, Code::kUnavailable);
}

TEST(ZygoteProcess, IsOutlivedByNoChildWhenItIsKilled) {
  RunnerUnderTest runner;
  auto channel = runner.spawn(1, Role::kBuilder);
  const auto path = runner.write("wait.py", "import time\nprint('here', flush=True)\ntime.sleep(600)\n");
  ASSERT_TRUE(channel.send(protocol::pack_message(import_of(runner, path))));
  while (runner.output(1).find("here") == std::string::npos) {
  }
  runner.kill_zygote();
  EXPECT_FALSE(channel.receive(std::chrono::minutes(1)));
}

}  // namespace
}  // namespace autokernel::runner
