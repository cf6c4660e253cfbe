#include "worker/runner/compare/structure.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "common/protocol/describe.hpp"

namespace autokernel::compare {

using messages::Item;
using messages::ItemKind;

namespace {

constexpr std::string_view kWhole = "the output";

std::string child_name(const std::string& name, const Item& parent, std::size_t index) {
  const std::string base = name == kWhole ? "output" : name;
  if (parent.kind == ItemKind::kDict && index < parent.keys.size())
    return fmt::format("{}['{}']", base, parent.keys[index]);
  return fmt::format("{}[{}]", base, index);
}

void collect(Item& item, const std::string& name, std::vector<NamedView>& views) {
  if (item.kind == ItemKind::kTensor && item.tensor) views.push_back({name, &*item.tensor});
  for (std::size_t i = 0; i < item.items.size(); ++i) collect(item.items[i], child_name(name, item, i), views);
}

std::string kind_text(ItemKind kind) {
  switch (kind) {
    case ItemKind::kTensor: return "a tensor";
    case ItemKind::kNone: return "None";
    case ItemKind::kBoolean: return "a bool";
    case ItemKind::kInteger: return "an int";
    case ItemKind::kReal: return "a float";
    case ItemKind::kText: return "a str";
    case ItemKind::kList: return "a list";
    case ItemKind::kTuple: return "a tuple";
    case ItemKind::kDict: return "a dict";
  }
  return "?";
}

bool close(double found, double expected, double absolute, double relative) {
  return found == expected || std::abs(found - expected) <= absolute + relative * std::abs(found) ||
         (std::isnan(found) && std::isnan(expected));
}

std::optional<std::string> difference(const Item& found, const Item& expected, const std::string& name, double absolute,
                                      double relative) {
  if (found.kind != expected.kind) {
    return fmt::format("{} is {}, expected {}", name, kind_text(found.kind), kind_text(expected.kind));
  }
  switch (expected.kind) {
    case ItemKind::kTensor:
      if (!found.tensor || !expected.tensor) return fmt::format("{} is a tensor without a description", name);
      if (found.tensor->shape != expected.tensor->shape) {
        return fmt::format("{} has shape {}, expected {}", name, shape_text(found.tensor->shape),
                           shape_text(expected.tensor->shape));
      }
      if (found.tensor->dtype != expected.tensor->dtype) {
        return fmt::format("{} has dtype {}, expected {}", name, found.tensor->dtype, expected.tensor->dtype);
      }
      return std::nullopt;
    case ItemKind::kNone: return std::nullopt;
    case ItemKind::kBoolean:
      if (found.boolean != expected.boolean)
        return fmt::format("{} is {}, expected {}", name, found.boolean, expected.boolean);
      return std::nullopt;
    case ItemKind::kInteger:
      if (found.integer != expected.integer)
        return fmt::format("{} is {}, expected {}", name, found.integer, expected.integer);
      return std::nullopt;
    case ItemKind::kReal:
      if (!close(found.real, expected.real, absolute, relative)) {
        return fmt::format("{} is {}, expected {}", name, found.real, expected.real);
      }
      return std::nullopt;
    case ItemKind::kText:
      if (found.text != expected.text) return fmt::format("{} is another text than expected", name);
      return std::nullopt;
    case ItemKind::kList:
    case ItemKind::kTuple:
    case ItemKind::kDict: break;
  }
  if (found.items.size() != expected.items.size()) {
    return fmt::format("{} has {} elements, expected {}", name, found.items.size(), expected.items.size());
  }
  if (found.keys != expected.keys) {
    return fmt::format("{} has other keys than expected: {}, not {}", name, fmt::join(found.keys, ", "),
                       fmt::join(expected.keys, ", "));
  }
  for (std::size_t i = 0; i < expected.items.size(); ++i) {
    auto inner = difference(found.items[i], expected.items[i], child_name(name, expected, i), absolute, relative);
    if (inner) return inner;
  }
  return std::nullopt;
}

}  // namespace

std::string shape_text(const std::vector<std::int64_t>& shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

std::vector<NamedView> tensors_of(Item& item, const std::string& name) {
  std::vector<NamedView> views;
  collect(item, name, views);
  return views;
}

std::size_t count_tensors(const Item& item) {
  std::size_t count = item.kind == ItemKind::kTensor ? 1 : 0;
  for (const Item& inner : item.items) count += count_tensors(inner);
  return count;
}

std::optional<std::string> structure_difference(const Item& found, const Item& expected, double absolute,
                                                double relative) {
  return difference(found, expected, std::string(kWhole), absolute, relative);
}

}  // namespace autokernel::compare
