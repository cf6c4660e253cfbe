#include "common/protocol/codec.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace autokernel::protocol {
namespace {

using namespace std::string_literals;
using testing::HasSubstr;

Value a_value_of_every_kind() {
  return Value(Value::Map{
      {"nil", Value()},
      {"yes", Value(true)},
      {"no", Value(false)},
      {"least", Value(std::numeric_limits<std::int64_t>::min())},
      {"most", Value(std::numeric_limits<std::uint64_t>::max())},
      {"real", Value(-0.1)},
      {"text", Value("zero\0inside"s)},
      {"bytes", Value(Value::Bytes{"\xff\x00"s})},
      {"array", Value(Value::Array{Value(1), Value("two"), Value(Value::Array{})})},
      {"map", Value(Value::Map{{"", Value(Value::Map{})}})},
  });
}

Value nested_arrays(std::size_t depth) {
  Value value(1);
  for (std::size_t i = 0; i < depth; ++i) value = Value(Value::Array{std::move(value)});
  return value;
}

std::string refusal_of(std::string_view bytes, const Limits& limits = {}) {
  const auto value = decode(bytes, limits);
  if (value) return "accepted";
  EXPECT_EQ(value.error().code, Code::kInvalid);
  return value.error().message;
}

TEST(Codec, BringsEveryKindBackAsItWas) {
  const Value value = a_value_of_every_kind();
  EXPECT_EQ(decode(encode(value)).value(), value);
}

TEST(Codec, EncodesSmallUnsignedAndSignedAlike) {
  EXPECT_EQ(encode(Value(std::uint64_t{7})), encode(Value(7)));
  EXPECT_EQ(decode(encode(Value(std::uint64_t{7}))).value(), Value(7));
}

TEST(Codec, KeepsInfinityAndNotANumber) {
  EXPECT_EQ(decode(encode(Value(std::numeric_limits<double>::infinity()))).value(),
            Value(std::numeric_limits<double>::infinity()));
  const Value nan = decode(encode(Value(std::nan("")))).value();
  ASSERT_NE(nan.as<double>(), nullptr);
  EXPECT_TRUE(std::isnan(*nan.as<double>()));
}

TEST(Codec, ReadsSinglePrecisionOfOtherWriters) { EXPECT_EQ(decode("\xca\x3f\x00\x00\x00"s).value(), Value(0.5)); }

TEST(Codec, RefusesEveryTruncation) {
  const std::string bytes = encode(a_value_of_every_kind());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_NE(refusal_of(std::string_view(bytes).substr(0, size)), "accepted") << size << " bytes of " << bytes.size();
  }
}

TEST(Codec, RefusesWhatFollowsTheValue) {
  EXPECT_THAT(refusal_of(encode(Value(1)) + "\x01"), HasSubstr("1 trailing bytes"));
}

TEST(Codec, RefusesReservedAndExtensionTypes) {
  EXPECT_NE(refusal_of("\xc1"s), "accepted");
  EXPECT_THAT(refusal_of("\xd4\x01\x00"s), HasSubstr("extension"));
}

TEST(Codec, RefusesMapKeysThatAreNotText) {
  EXPECT_THAT(refusal_of("\x81\x01\x02"s), HasSubstr("map key"));
  EXPECT_THAT(refusal_of("\x81\x90\x02"s), HasSubstr("map key"));
  EXPECT_THAT(refusal_of("\x81\xc0\x02"s), HasSubstr("map key"));
}

TEST(Codec, RefusesOneLevelTooManyAndAcceptsTheLast) {
  const Limits limits;
  EXPECT_TRUE(decode(encode(nested_arrays(limits.depth))));
  EXPECT_THAT(refusal_of(encode(nested_arrays(limits.depth + 1))), HasSubstr("nested too deeply"));
}

TEST(Codec, RefusesTooManyBytesAndTooManyElements) {
  EXPECT_THAT(refusal_of(encode(Value("0123456789")), Limits{.bytes = 10}), HasSubstr("the limit is 10"));
  const std::string four = encode(Value(Value::Array{Value(1), Value(2), Value(3)}));
  EXPECT_TRUE(decode(four, Limits{.elements = 4}));
  EXPECT_THAT(refusal_of(four, Limits{.elements = 3}), HasSubstr("too many elements"));
}

TEST(Codec, AllocatesNothingForACountThatNeverArrives) {
  EXPECT_NE(refusal_of("\xdd\xff\xff\xff\xff"s), "accepted");  // 4 billion array items
  EXPECT_NE(refusal_of("\xdf\xff\xff\xff\xff"s), "accepted");  // 4 billion map entries
  EXPECT_NE(refusal_of("\xdb\xff\xff\xff\xff"s
                       "a"),
            "accepted");  // 4 GiB of text
}

TEST(Codec, SurvivesBytesThatMeanNothing) {
  std::mt19937 random(20260101);  // NOLINT(cert-msc51-cpp): the same bytes in every run
  std::uniform_int_distribution<int> byte(0, 255);
  for (int round = 0; round < 20'000; ++round) {
    std::string bytes(static_cast<std::size_t>(byte(random)) % 64, '\0');
    for (char& letter : bytes) letter = static_cast<char>(byte(random));
    const auto value = decode(bytes, Limits{.elements = 1000});
    if (value) {
      EXPECT_TRUE(decode(encode(*value))) << "what was accepted must encode to something acceptable";
    }
  }
}

TEST(Codec, SurvivesOneWrongByteAnywhere) {
  const std::string good = encode(a_value_of_every_kind());
  for (std::size_t at = 0; at < good.size(); ++at) {
    for (const int wrong : {0x00, 0x7f, 0x80, 0xc1, 0xdd, 0xdf, 0xff}) {
      std::string bytes = good;
      bytes[at] = static_cast<char>(wrong);
      const auto value = decode(bytes);
      EXPECT_TRUE(value || value.error().code == Code::kInvalid);
    }
  }
}

}  // namespace
}  // namespace autokernel::protocol
