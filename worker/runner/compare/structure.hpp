#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "worker/messages/candidate.hpp"

/// Structures of results: what is compared before any number is.
namespace autokernel::compare {

/// "[4, 16]"
[[nodiscard]] std::string shape_text(const std::vector<std::int64_t>& shape);

/// A tensor of a structure and its name in messages: "the output", "output[1]", "output['logits']".
struct NamedView {
  std::string name;
  messages::TensorView* view = nullptr;
};

/// Every tensor of the structure, depth first. The pointers live as long as `item` is not changed.
[[nodiscard]] std::vector<NamedView> tensors_of(messages::Item& item, const std::string& name = "the output");
[[nodiscard]] std::size_t count_tensors(const messages::Item& item);

/// Kinds, keys, dtypes, shapes and plain values; offsets and strides are not looked at. nullopt when all agree, else
/// the first difference: "the output has shape [4, 8], expected [4, 16]". Reals agree within the tolerance of allclose.
[[nodiscard]] std::optional<std::string> structure_difference(const messages::Item& found,
                                                              const messages::Item& expected, double absolute,
                                                              double relative);

}  // namespace autokernel::compare
