#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "worker/runner/compare/checksum.hpp"
#include "worker/runner/device/arena.hpp"
#include "worker/runner/judge/layout.hpp"
#include "worker/runner/judge/problem.hpp"
#include "worker/runner/python/items.hpp"

namespace autokernel::judge {

/// Where inputs go: into which of the layout's sets, and how they lie there.
struct InputPlace {
  Placement placement = Placement::kDense;
  std::size_t set = 0;  ///< placements other than dense have room in the first alone
};

/// Inputs as they lie in the arena: what the candidate is told, and what the reference is called with.
struct PlacedInputs {
  std::size_t set = 0;
  std::vector<messages::Item> items;
  pybind11::tuple arguments;  ///< views of the same memory
};

/// The arena with its layout: writes inputs and weights into it, hands out places for results. Never holds an expected
/// output.
class Workbench {
 public:
  /// kExhausted: the device has not the memory that inputs and outputs alone need (the message has both figures).
  /// `weights`: room for the reference's state too, which native candidates are given.
  [[nodiscard]] static Result<Workbench> create(runner::Device& device, const messages::Item& inputs,
                                                const messages::Item& outputs,
                                                const std::optional<NamedTensors>& weights);

  /// Where such inputs go; a tensor that has no room for the placement, or no use of it, lies dense. Copies nothing.
  /// kInvalid: other inputs than the layout was made for.
  [[nodiscard]] Result<PlacedInputs> describe(const runner::Description& inputs, InputPlace where) const;
  /// Copies the inputs to where they were said to go.
  [[nodiscard]] Result<void> fill(const PlacedInputs& placed, const runner::Description& inputs) const;
  /// Both.
  [[nodiscard]] Result<PlacedInputs> write(const runner::Description& inputs, InputPlace where) const;

  /// Copies the reference's state to where native candidates read it, and describes it.
  [[nodiscard]] Result<std::vector<messages::NamedTensor>> write_weights(const NamedTensors& weights) const;

  /// How many of the inputs' tensors a placement moves; 0: it changes nothing for this problem.
  [[nodiscard]] std::size_t moved_by(const runner::Description& inputs, Placement placement) const;

  /// The structure of a result with its tensors placed in the output region. kExhausted: it does not fit.
  [[nodiscard]] Result<messages::Item> place_result(messages::Item structure) const;

  /// 0xFF over the output region.
  [[nodiscard]] Result<void> poison() const;

  /// One per input tensor of the set, over its whole slot. Throws what torch throws.
  [[nodiscard]] std::vector<std::uint64_t> input_checksums(const compare::Checksummer& sums, std::size_t set) const;

  [[nodiscard]] bool is_in_arena(const at::Tensor& tensor) const;
  [[nodiscard]] const runner::Arena& arena() const { return arena_; }
  [[nodiscard]] const Layout& layout() const { return layout_; }
  [[nodiscard]] bool has_weights() const { return has_weights_; }

 private:
  Workbench(runner::Arena arena, Layout layout, bool has_weights)
      : arena_(std::move(arena)), layout_(std::move(layout)), has_weights_(has_weights) {}

  runner::Arena arena_;
  Layout layout_;
  bool has_weights_;
};

}  // namespace autokernel::judge
