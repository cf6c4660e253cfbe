#include "common/result/result.hpp"

#include <gtest/gtest.h>

namespace autokernel {
namespace {

Result<int> parse_digit(char letter) {
  if (letter < '0' || letter > '9') return fail(Code::kInvalid, "not a digit: '{}'", letter);
  return letter - '0';
}

Result<int> sum_of(std::string_view letters) {
  int sum = 0;
  for (const char letter : letters) {
    AUTOKERNEL_TRY_ASSIGN(const int digit, parse_digit(letter));
    sum += digit;
  }
  return sum;
}

Result<void> accept_even(int number) {
  if (number % 2 != 0) return fail(Code::kStale, "odd: {}", number);
  return {};
}

Result<std::string> text_of_even(int number) {
  AUTOKERNEL_TRY(accept_even(number));
  return std::to_string(number);
}

TEST(Result, FormatsItsMessage) {
  const auto result = parse_digit('x');
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Code::kInvalid);
  EXPECT_EQ(result.error().message, "not a digit: 'x'");
}

TEST(Result, AssignsEachValueOrReturnsTheFirstError) {
  EXPECT_EQ(sum_of("123").value(), 6);
  EXPECT_EQ(sum_of("1x2y").error().message, "not a digit: 'x'");
}

TEST(Result, TryReturnsAnErrorThroughAnotherValueType) {
  EXPECT_EQ(text_of_even(4).value(), "4");
  EXPECT_EQ(text_of_even(5).error().code, Code::kStale);
}

TEST(Error, PutsTheCallersViewInFront) {
  const Error error{Code::kNotFound, "no such file"};
  EXPECT_EQ(error.within("reading run.toml").message, "reading run.toml: no such file");
  EXPECT_EQ(error.within("reading run.toml").code, Code::kNotFound);
}

TEST(ExitCode, TellsTheCallsOwnErrorFromTheMachines) {
  EXPECT_EQ(exit_code_of(Code::kInvalid), 2);
  EXPECT_EQ(exit_code_of(Code::kNotFound), 2);
  EXPECT_EQ(exit_code_of(Code::kUnavailable), 3);
  EXPECT_EQ(exit_code_of(Code::kExhausted), 3);
  EXPECT_EQ(exit_code_of(Code::kInternal), 3);
}

TEST(CheckDeathTest, NamesTheBrokenInvariant) {
  EXPECT_DEATH(AUTOKERNEL_CHECK(1 + 1 == 3), "broken invariant: 1 \\+ 1 == 3");
}

}  // namespace
}  // namespace autokernel
