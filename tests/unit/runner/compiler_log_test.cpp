#include "worker/runner/builder/compiler_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace autokernel::runner {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

TEST(CompilerLog, ShowsTheFirstErrorsWithTheirSourceLines) {
  const std::string words = first_errors(
      "[1/3] c++ -MMD -c main.cpp\n"
      "main.cpp: In function 'int f()':\n"
      "main.cpp:3:10: error: 'x' was not declared in this scope\n"
      "    3 |   return x;\n"
      "      |          ^\n"
      "main.cpp:1:1: note: something else\n");
  EXPECT_EQ(words,
            "main.cpp:3:10: error: 'x' was not declared in this scope\n"
            "    3 |   return x;\n"
            "      |          ^");
}

TEST(CompilerLog, KnowsTheWordsOfNvccAndTheLinker) {
  EXPECT_THAT(first_errors("a.cu(7): error: identifier \"y\" is undefined\n"), HasSubstr("identifier"));
  EXPECT_THAT(first_errors("all well\n/usr/bin/ld: a.o: undefined reference to `g()'\n"), Not(HasSubstr("all well")));
  EXPECT_THAT(first_errors("ptxas fatal   : Unresolved extern function 'h'\n"), HasSubstr("Unresolved"));
}

TEST(CompilerLog, FallsBackToTheLastLines) {
  std::string log;
  for (int i = 0; i < 100; ++i) log += "line " + std::to_string(i) + "\n";
  const std::string words = first_errors(log);
  EXPECT_THAT(words, HasSubstr("line 99"));
  EXPECT_THAT(words, Not(HasSubstr("line 79\n")));
}

TEST(CompilerLog, StaysUnderItsLimit) {
  std::string log;
  for (int i = 0; i < 1000; ++i) log += "a.cpp:1: error: " + std::string(900, 'x') + "\n";
  EXPECT_THAT(first_errors(log), SizeIs(testing::Le(4096U)));
}

TEST(CompilerLog, TellsAMissingToolFromAMissingHeader) {
  EXPECT_TRUE(says_tool_is_missing("/bin/sh: 1: /usr/local/cuda/bin/nvcc: not found\n"));
  EXPECT_TRUE(says_tool_is_missing("Ninja is required to load C++ extensions (pip install ninja to get it)"));
  EXPECT_FALSE(says_tool_is_missing("a.cpp:1:10: fatal error: nothing.h: No such file or directory\n"));
  EXPECT_FALSE(says_tool_is_missing("a.cu(7): error: identifier \"blockIdx\" is undefined\n"));
}

}  // namespace
}  // namespace autokernel::runner
