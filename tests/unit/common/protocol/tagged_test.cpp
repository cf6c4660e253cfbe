#include "common/protocol/tagged.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace autokernel::protocol {

struct Ping {
  static constexpr std::string_view kType = "PING";
  std::uint64_t seq = 0;
  template <class Archive>
  void describe(Archive& archive) {
    archive.field("seq", seq);
  }
};
struct Stop {
  static constexpr std::string_view kType = "STOP";
  template <class Archive>
  void describe(Archive& /*archive*/) {}
};
using Family = std::variant<Ping, Stop>;

namespace {

TEST(Tagged, PicksTheMessageByItsType) {
  const auto family = unpack_message<Family>(pack_message<Family>(Ping{7}));
  ASSERT_TRUE(family) << family.error().message;
  ASSERT_TRUE(std::holds_alternative<Ping>(*family));
  EXPECT_EQ(std::get<Ping>(*family).seq, 7U);
  EXPECT_EQ(type_of(*family), "PING");
}

TEST(Tagged, CarriesAMessageWithoutFields) {
  EXPECT_TRUE(std::holds_alternative<Stop>(unpack_message<Family>(pack_message<Family>(Stop{})).value()));
}

TEST(Tagged, RefusesAnUnknownTypeByName) {
  const auto family = unpack_message<Family>(encode(Value(Value::Map{{"type", Value("PONG")}})));
  ASSERT_FALSE(family);
  EXPECT_EQ(family.error().message, "unknown message type 'PONG'");
}

TEST(Tagged, RefusesWhatHasNoType) {
  EXPECT_FALSE(unpack_message<Family>(encode(Value(Value::Map{{"seq", Value(1)}}))));
  EXPECT_FALSE(unpack_message<Family>(encode(Value(Value::Map{{"type", Value(1)}}))));
  EXPECT_FALSE(unpack_message<Family>(encode(Value("PING"))));
}

TEST(Tagged, SaysInWhichMessageAFieldIsWrong) {
  const auto family =
      unpack_message<Family>(encode(Value(Value::Map{{"type", Value("PING")}, {"seq", Value("seven")}})));
  ASSERT_FALSE(family);
  EXPECT_EQ(family.error().message, "message 'PING': field 'seq': expected an integer, found text");
}

}  // namespace
}  // namespace autokernel::protocol
