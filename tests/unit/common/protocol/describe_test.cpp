#include "common/protocol/describe.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace autokernel::protocol {

enum class Colour { kRed, kGreen };
constexpr auto names_of(Colour) {
  return std::array{std::pair{Colour::kRed, std::string_view("red")},
                    std::pair{Colour::kGreen, std::string_view("green")}};
}

struct Point {
  std::int32_t x = 0;
  std::int32_t y = 0;
  template <class Archive>
  void describe(Archive& archive) {
    archive.field("x", x);
    archive.field("y", y);
  }
  bool operator==(const Point&) const = default;
};

struct Drawing {
  std::string title;
  Colour colour = Colour::kRed;
  std::vector<Point> points;
  std::optional<double> scale;
  std::map<std::string, std::uint8_t> weights;
  std::string note = "none";
  template <class Archive>
  void describe(Archive& archive) {
    archive.field("title", title);
    archive.field("colour", colour);
    archive.field("points", points);
    archive.field("scale", scale);
    archive.field("weights", weights);
    archive.optional_field("note", note);
  }
  bool operator==(const Drawing&) const = default;
};

namespace {

using testing::HasSubstr;

Drawing a_drawing() {
  return Drawing{.title = "house",
                 .colour = Colour::kGreen,
                 .points = {{1, 2}, {-3, 4}},
                 .scale = 0.5,
                 .weights = {{"roof", 200}},
                 .note = "seen"};
}

Value with(Value value, std::string_view key, const Value& replacement) {
  for (auto& [name, entry] : *value.as<Value::Map>()) {
    if (name == key) entry = replacement;
  }
  return value;
}

Value without(Value value, std::string_view key) {
  std::erase_if(*value.as<Value::Map>(), [&](const auto& entry) { return entry.first == key; });
  return value;
}

std::string error_of(const Value& value) {
  const auto drawing = from_value<Drawing>(value);
  return drawing ? "accepted" : drawing.error().message;
}

TEST(Describe, BringsAStructBackThroughBytes) { EXPECT_EQ(unpack<Drawing>(pack(a_drawing())).value(), a_drawing()); }

TEST(Describe, WritesAnAbsentOptionalAsNil) {
  Drawing drawing = a_drawing();
  drawing.scale.reset();
  EXPECT_TRUE(to_value(drawing).find("scale")->is_nil());
  EXPECT_EQ(unpack<Drawing>(pack(drawing)).value(), drawing);
}

TEST(Describe, IgnoresFieldsOfANewerPeer) {
  Value value = to_value(a_drawing());
  value.as<Value::Map>()->emplace_back("frame", Value("gold"));
  EXPECT_EQ(from_value<Drawing>(value).value(), a_drawing());
}

TEST(Describe, NamesAMissingField) {
  EXPECT_THAT(error_of(without(to_value(a_drawing()), "title")), HasSubstr("field 'title' is missing"));
}

TEST(Describe, KeepsTheDefaultOfAMissingOptionalField) {
  EXPECT_EQ(from_value<Drawing>(without(to_value(a_drawing()), "note")).value().note, "none");
}

TEST(Describe, NamesThePathToAWrongField) {
  const Value points(Value::Array{to_value(Point{1, 2}), Value(Value::Map{{"x", Value(1)}, {"y", Value("two")}})});
  EXPECT_EQ(error_of(with(to_value(a_drawing()), "points", points)),
            "field 'points': item 1: field 'y': expected an integer, found text");
}

TEST(Describe, ListsTheNamesAnEnumKnows) {
  EXPECT_THAT(error_of(with(to_value(a_drawing()), "colour", Value("blue"))),
              HasSubstr("unknown name 'blue', known: red, green"));
}

TEST(Describe, RefusesNumbersOutOfTheFieldsRange) {
  const Value weights(Value::Map{{"roof", Value(256)}});
  EXPECT_THAT(error_of(with(to_value(a_drawing()), "weights", weights)),
              HasSubstr("entry 'roof': integer out of range"));
  EXPECT_FALSE(from_value<std::uint64_t>(Value(-1)));
  EXPECT_FALSE(from_value<std::int64_t>(Value(std::numeric_limits<std::uint64_t>::max())));
}

TEST(Describe, TakesWholeNumbersForRealFieldsButNoRealOnesForWhole) {
  EXPECT_EQ(from_value<double>(Value(3)).value(), 3.0);
  EXPECT_FALSE(from_value<int>(Value(3.0)));
}

TEST(Describe, TellsTextFromBytesAndBooleansFromIntegers) {
  EXPECT_FALSE(from_value<std::string>(Value(Value::Bytes{"x"})));
  EXPECT_FALSE(from_value<Value::Bytes>(Value("x")));
  EXPECT_FALSE(from_value<bool>(Value(1)));
}

TEST(Names, GoBothWays) {
  EXPECT_EQ(name_of(Colour::kGreen), "green");
  EXPECT_EQ(parse_name<Colour>("red"), Colour::kRed);
  EXPECT_EQ(parse_name<Colour>("Red"), std::nullopt);
  EXPECT_EQ(all_names<Colour>(), "red, green");
}

}  // namespace
}  // namespace autokernel::protocol
