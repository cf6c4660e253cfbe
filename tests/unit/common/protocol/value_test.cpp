#include "common/protocol/value.hpp"

#include <gtest/gtest.h>

namespace autokernel::protocol {
namespace {

TEST(Value, GivesItsContentOnlyAsTheKindItIs) {
  const Value value("text");
  ASSERT_NE(value.as<std::string>(), nullptr);
  EXPECT_EQ(*value.as<std::string>(), "text");
  EXPECT_EQ(value.as<std::int64_t>(), nullptr);
  EXPECT_FALSE(value.is_nil());
}

TEST(Value, FindsAnEntryOfAMap) {
  const Value map(Value::Map{{"one", Value(1)}, {"two", Value(2)}});
  ASSERT_NE(map.find("two"), nullptr);
  EXPECT_EQ(*map.find("two"), Value(2));
  EXPECT_EQ(map.find("three"), nullptr);
}

TEST(Value, FindsNothingInWhatIsNoMap) { EXPECT_EQ(Value(Value::Array{Value(1)}).find("one"), nullptr); }

TEST(Value, NamesEachKind) {
  EXPECT_EQ(Value().kind(), "nil");
  EXPECT_EQ(Value(true).kind(), "boolean");
  EXPECT_EQ(Value(-1).kind(), "integer");
  EXPECT_EQ(Value(std::uint64_t{1}).kind(), "integer");
  EXPECT_EQ(Value(0.5).kind(), "number");
  EXPECT_EQ(Value("").kind(), "text");
  EXPECT_EQ(Value(Value::Bytes{"x"}).kind(), "bytes");
  EXPECT_EQ(Value(Value::Array{}).kind(), "array");
  EXPECT_EQ(Value(Value::Map{}).kind(), "map");
}

}  // namespace
}  // namespace autokernel::protocol
