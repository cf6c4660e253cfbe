#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "worker/runner/timing/plan.hpp"

/// Where inputs, outputs and weights lie in the arena that judge and candidate share. Pure arithmetic.
namespace autokernel::judge {

/// Ways to lay out a tensor in its place of the arena.
enum class Placement {
  kDense,       ///< row-major, aligned to 256 bytes
  kMisaligned,  ///< row-major, one element further
  kPadded,      ///< rows one element longer than the last dimension; a vector takes every second element
  kTransposed,  ///< the last two dimensions swapped in memory
};
[[nodiscard]] std::string_view name_of(Placement placement);

struct Shape {
  std::vector<std::int64_t> extents;
  std::uint64_t item_bytes = 4;

  [[nodiscard]] std::uint64_t elements() const;
  [[nodiscard]] std::uint64_t bytes() const { return elements() * item_bytes; }
};

/// In elements, relative to the start of the tensor's place.
struct PlacedStrides {
  std::int64_t first = 0;
  std::vector<std::int64_t> strides;
  std::uint64_t extent = 0;  ///< elements from the place's start to the end of the last one
};

[[nodiscard]] std::vector<std::int64_t> dense_strides(const std::vector<std::int64_t>& extents);

/// nullopt where the placement means nothing for such a shape: padding a scalar, transposing a vector or one row.
[[nodiscard]] std::optional<PlacedStrides> place(const Shape& shape, Placement placement);

/// A place in the arena.
struct Slot {
  std::uint64_t offset = 0;    ///< a multiple of 256
  std::uint64_t bytes = 0;     ///< of the dense tensor
  std::uint64_t capacity = 0;  ///< room for the other placements
};

/// Whether a slot has room for a placement.
[[nodiscard]] bool fits(const Slot& slot, const Shape& shape, Placement placement);

struct LayoutRequest {
  std::vector<Shape> inputs;
  std::vector<Shape> outputs;
  std::vector<Shape> weights;
  std::uint64_t limit_bytes = 0;      ///< over this, no room for other placements is set aside
  std::uint64_t set_limit_bytes = 0;  ///< for all input sets but the first
};

/// Input sets that a timing can use: a block's calls, each on inputs of its own.
inline constexpr std::size_t kMostInputSets{timing::kMostCalls};

struct Layout {
  std::vector<Slot> inputs;
  std::vector<std::vector<Slot>> more_inputs;  ///< further sets of the same inputs, without room for other placements
  std::vector<Slot> outputs;
  std::vector<Slot> weights;
  std::uint64_t output_offset = 0;  ///< of the whole region that results are written to
  std::uint64_t output_bytes = 0;
  std::uint64_t bytes = 0;  ///< of the whole arena
  bool has_slack = false;   ///< every input has room to be misaligned, and padded where that costs at most an eighth

  [[nodiscard]] std::size_t sets() const { return 1 + more_inputs.size(); }
  [[nodiscard]] const std::vector<Slot>& inputs_of(std::size_t set) const {
    return set == 0 ? inputs : more_inputs.at(set - 1);
  }
};

/// As many input sets as fit their limit, up to kMostInputSets and at least one.
[[nodiscard]] Layout plan_layout(const LayoutRequest& request);

}  // namespace autokernel::judge
