#include "common/config/toml.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace autokernel::config {
namespace {

using protocol::Value;
using ::testing::HasSubstr;

TEST(Toml, KeepsValuesAndTheirLines) {
  const auto document = parse_toml("trials = 3\n\n[sweep]\nlevel = [1, 2]\nname = \"a\"\n", "x.toml");
  ASSERT_TRUE(document);
  EXPECT_EQ(*document->root.find("trials"), Value(3));
  EXPECT_EQ(*document->root.find("sweep")->find("level"), Value(Value::Array{Value(1), Value(2)}));
  EXPECT_EQ(document->lines.at("sweep.name"), 5);
}

TEST(Toml, NamesFileAndLineOfAnError) {
  const auto document = parse_toml("trials = 3\nlevel = [1,\n", "x.toml");
  ASSERT_FALSE(document);
  EXPECT_EQ(document.error().code, Code::kInvalid);
  EXPECT_THAT(document.error().message, HasSubstr("x.toml, line"));
}

TEST(Toml, ReadsBackWhatItWrote) {
  const Value root(Value::Map{
      {"name", Value("say \"hi\"\n")},
      {"timeout", Value(180.0)},
      {"seed", Value(42)},
      {"timing", Value(true)},
      {"levels", Value(Value::Array{Value(1), Value(2)})},
      {"sources", Value(Value::Map{{"level1/19_ReLU.py", Value("ab12")}, {"plain", Value("cd")}})},
  });
  const auto document = parse_toml(format_toml(root), "run.toml");
  ASSERT_TRUE(document) << format_toml(root);
  for (const auto& [key, value] : *root.as<Value::Map>()) {
    ASSERT_NE(document->root.find(key), nullptr) << key;
    EXPECT_EQ(*document->root.find(key), value) << key;
  }
}

TEST(Toml, LeavesNilOut) {
  EXPECT_EQ(format_toml(Value(Value::Map{{"batch", Value()}, {"trials", Value(5)}})), "trials = 5\n");
}

}  // namespace
}  // namespace autokernel::config
