#include "worker/runner/compare/structure.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace autokernel::compare {
namespace {

using messages::Item;
using messages::ItemKind;
using ::testing::HasSubstr;

Item tensor(std::vector<std::int64_t> shape, std::string dtype = "float32") {
  Item item;
  item.kind = ItemKind::kTensor;
  item.tensor = messages::TensorView{std::move(dtype), std::move(shape), {}, 0};
  return item;
}

Item sequence(ItemKind kind, std::vector<Item> items) {
  Item item;
  item.kind = kind;
  item.items = std::move(items);
  return item;
}

std::string difference(const Item& found, const Item& expected) {
  return structure_difference(found, expected, 1e-4, 1e-4).value_or("");
}

TEST(Structure, NamesShapesFoundAndExpected) {
  EXPECT_EQ(difference(tensor({4, 8}), tensor({4, 16})), "the output has shape [4, 8], expected [4, 16]");
}

TEST(Structure, NamesTheElementThatDiffers) {
  const Item found = sequence(ItemKind::kTuple, {tensor({1}), tensor({2}, "float16")});
  const Item expected = sequence(ItemKind::kTuple, {tensor({1}), tensor({2})});
  EXPECT_EQ(difference(found, expected), "output[1] has dtype float16, expected float32");
}

TEST(Structure, AListIsNoTuple) {
  EXPECT_EQ(difference(sequence(ItemKind::kList, {}), sequence(ItemKind::kTuple, {})),
            "the output is a list, expected a tuple");
}

TEST(Structure, ATensorIsNotATupleOfOne) {
  EXPECT_EQ(difference(sequence(ItemKind::kTuple, {tensor({1})}), tensor({1})),
            "the output is a tuple, expected a tensor");
}

TEST(Structure, KeysOfADictCount) {
  Item found = sequence(ItemKind::kDict, {tensor({1})});
  found.keys = {"a"};
  Item expected = found;
  expected.keys = {"b"};
  EXPECT_THAT(difference(found, expected), HasSubstr("other keys"));
  expected.keys = {"a"};
  expected.items[0] = tensor({2});
  EXPECT_EQ(difference(found, expected), "output['a'] has shape [1], expected [2]");
}

TEST(Structure, PlainValuesAreCompared) {
  Item found;
  found.kind = ItemKind::kReal;
  found.real = 1.00001;
  Item expected = found;
  expected.real = 1;
  EXPECT_EQ(difference(found, expected), "");
  expected.real = 1.1;
  EXPECT_THAT(difference(found, expected), HasSubstr("expected 1.1"));
}

TEST(Structure, WalksEveryTensor) {
  Item item = sequence(ItemKind::kTuple, {tensor({1}), sequence(ItemKind::kList, {tensor({2})})});
  const auto views = tensors_of(item);
  ASSERT_EQ(views.size(), 2U);
  EXPECT_EQ(views[0].name, "output[0]");
  EXPECT_EQ(views[1].name, "output[1][0]");
  EXPECT_EQ(count_tensors(item), 2U);
}

}  // namespace
}  // namespace autokernel::compare
