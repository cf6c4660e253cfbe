#include "kernelbench/export/json.hpp"

#include <gmock/gmock.h>

#include <limits>

namespace autokernel::kernelbench {
namespace {

using protocol::Limits;
using protocol::Value;
using testing::AllOf;
using testing::HasSubstr;

TEST(ToJson, KeepsTheOrderOfKeys) {
  EXPECT_EQ(to_json(Value(Value::Map{{"z", 1}, {"a", Value(Value::Array{true, Value(), "x"})}})),
            R"({"z":1,"a":[true,null,"x"]})");
}

TEST(ToJson, WritesNullForWhatJsonCannotSay) {
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(to_json(Value(Value::Array{std::numeric_limits<double>::quiet_NaN(), inf, -inf})), "[null,null,null]");
}

TEST(ToJson, StaysValidWhateverTheTextIs) {
  const auto text = to_json(Value(std::string("a\xFF\n\"b")));
  EXPECT_TRUE(parse_json(text)) << text;
  EXPECT_EQ(to_json(Value(Value::Bytes{std::string("\x01\xAB", 2)})), "\"01ab\"");
}

TEST(ToJson, RoundTripsNumbersExactly) {
  const Value value(
      Value::Array{0.1, 2.71, std::int64_t{-9007199254740993}, std::numeric_limits<std::uint64_t>::max()});
  EXPECT_EQ(*parse_json(to_json(value)), value);
}

TEST(ParseJson, SaysWhereTheTextIsWrong) {
  const auto result = parse_json("{\n  \"a\": 1,\n  \"b\": }\n");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Code::kInvalid);
  EXPECT_THAT(result.error().message, AllOf(HasSubstr("line 3"), HasSubstr("byte")));
}

TEST(ParseJson, RefusesHostileTexts) {
  EXPECT_FALSE(parse_json(""));
  EXPECT_FALSE(parse_json("{} {}"));
  EXPECT_FALSE(parse_json("{\"a\": NaN}"));
  EXPECT_FALSE(parse_json("\"\xFF\""));
  EXPECT_FALSE(parse_json("{\"a\": 1e999}"));
  EXPECT_FALSE(parse_json("[1,2,"));
}

TEST(ParseJson, HoldsItsLimitsWhileParsing) {
  EXPECT_THAT(parse_json(std::string(1'000'000, '[')).error().message, HasSubstr("nested"));
  EXPECT_THAT(parse_json("[1,2,3]", Limits{100, 24, 3}).error().message, HasSubstr("more than 3"));
  EXPECT_THAT(parse_json("[1,2,3]", Limits{5, 24, 100}).error().message, HasSubstr("limit is 5"));
}

TEST(ParsePythonJson, TakesNumbersThatAreNoneAsNull) {
  const auto value = parse_python_json(R"({"a": NaN, "b": [Infinity, -Infinity,NaN], "NaN": "Infinity \" NaN"})");
  ASSERT_TRUE(value) << value.error().message;
  EXPECT_EQ(to_json(*value), R"({"a":null,"b":[null,null,null],"NaN":"Infinity \" NaN"})");
  for (const char* text : {"NaNo", "{NaN: 1}", "-NaN", "nan", "Infinit", "[1NaN]"})
    EXPECT_FALSE(parse_python_json(text)) << text;
}

TEST(ToJson, LeavesNothingThatATerminalObeys) {
  const auto text =
      to_json(Value(std::string("\x1b[1m\x7f\xC2\x9B"
                                "1m")));
  EXPECT_EQ(text, R"("\u001b[1m\u007f\u009b1m")");
  EXPECT_EQ(*parse_json(text), Value(std::string("\x1b[1m\x7f\xC2\x9B"
                                                 "1m")));
}

TEST(ParseJson, LetsTheLastOfEqualKeysCount) {
  EXPECT_EQ(to_json(*parse_json(R"({"a":1,"b":2,"a":3})")), R"({"a":3,"b":2})");
}

}  // namespace
}  // namespace autokernel::kernelbench
