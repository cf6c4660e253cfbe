#include "worker/runner/judge/layout.hpp"

#include <algorithm>
#include <numeric>

namespace autokernel::judge {

namespace {

constexpr std::uint64_t kAlignment = 256;
/// A candidate's result of a wrong shape is copied for the report when it fits; small ones always do.
constexpr std::uint64_t kLeastOutputRoom = 4096;
/// Padding may enlarge an input by this share, or by this many bytes when it is small.
constexpr std::uint64_t kPaddingShare = 8;
constexpr std::uint64_t kPaddingFree = std::uint64_t{16} << 20U;

std::uint64_t aligned(std::uint64_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

std::uint64_t slack_for(const Shape& shape) {
  const std::uint64_t dense = shape.bytes();
  std::uint64_t slack = shape.item_bytes;
  if (const auto padded = place(shape, Placement::kPadded)) {
    const std::uint64_t more = padded->extent * shape.item_bytes - dense;
    if (more <= std::max(dense / kPaddingShare, kPaddingFree)) slack = std::max(slack, more);
  }
  return slack;
}

Slot take(std::uint64_t& end, const Shape& shape, std::uint64_t slack) {
  const Slot slot{end, shape.bytes(), shape.bytes() + slack};
  end += aligned(std::max<std::uint64_t>(slot.capacity, 1));
  return slot;
}

Layout lay_out(const LayoutRequest& request, bool with_slack) {
  Layout layout;
  layout.has_slack = with_slack;
  std::uint64_t end = 0;
  for (const Shape& shape : request.inputs)
    layout.inputs.push_back(take(end, shape, with_slack ? slack_for(shape) : 0));
  layout.output_offset = end;
  for (const Shape& shape : request.outputs) layout.outputs.push_back(take(end, shape, 0));
  end = std::max(end, layout.output_offset + kLeastOutputRoom);
  layout.output_bytes = end - layout.output_offset;
  for (const Shape& shape : request.weights) layout.weights.push_back(take(end, shape, 0));
  layout.bytes = end;
  return layout;
}

/// Behind everything else, so that the places of a layout do not depend on how many sets there is room for.
void add_sets(Layout& layout, const LayoutRequest& request) {
  const std::uint64_t begin = layout.bytes;
  while (layout.sets() < kMostInputSets) {
    std::uint64_t end = layout.bytes;
    std::vector<Slot> set;
    for (const Shape& shape : request.inputs) set.push_back(take(end, shape, 0));
    if (end - begin > request.set_limit_bytes) return;
    layout.more_inputs.push_back(std::move(set));
    layout.bytes = end;
  }
}

}  // namespace

std::string_view name_of(Placement placement) {
  switch (placement) {
    case Placement::kDense: return "dense";
    case Placement::kMisaligned: return "misaligned";
    case Placement::kPadded: return "padded";
    case Placement::kTransposed: return "transposed";
  }
  return "dense";
}

std::uint64_t Shape::elements() const {
  return std::accumulate(
      extents.begin(), extents.end(), std::uint64_t{1},
      [](std::uint64_t product, std::int64_t extent) { return product * static_cast<std::uint64_t>(extent); });
}

std::vector<std::int64_t> dense_strides(const std::vector<std::int64_t>& extents) {
  std::vector<std::int64_t> strides(extents.size(), 1);
  for (std::size_t i = extents.size(); i-- > 1;) strides[i - 1] = strides[i] * std::max<std::int64_t>(extents[i], 1);
  return strides;
}

std::optional<PlacedStrides> place(const Shape& shape, Placement placement) {
  const std::size_t rank = shape.extents.size();
  const std::uint64_t elements = shape.elements();
  PlacedStrides placed{0, dense_strides(shape.extents), elements};
  switch (placement) {
    case Placement::kDense: return placed;
    case Placement::kMisaligned:
      if (elements == 0) return std::nullopt;
      placed.first = 1;
      placed.extent = elements + 1;
      return placed;
    case Placement::kPadded: {
      if (rank == 0 || elements < 2) return std::nullopt;
      std::vector<std::int64_t> longer = shape.extents;
      if (rank == 1) {
        placed.strides = {2};
        placed.extent = 2 * elements;
        return placed;
      }
      if (static_cast<std::uint64_t>(longer.back()) == elements)
        return std::nullopt;  // one row: padding changes nothing
      ++longer.back();
      placed.strides = dense_strides(longer);
      placed.extent =
          elements / static_cast<std::uint64_t>(shape.extents.back()) * static_cast<std::uint64_t>(longer.back());
      return placed;
    }
    case Placement::kTransposed:
      if (rank < 2 || shape.extents[rank - 1] < 2 || shape.extents[rank - 2] < 2) return std::nullopt;
      placed.strides[rank - 2] = 1;
      placed.strides[rank - 1] = shape.extents[rank - 2];
      return placed;
  }
  return std::nullopt;
}

bool fits(const Slot& slot, const Shape& shape, Placement placement) {
  const auto placed = place(shape, placement);
  return placed && placed->extent * shape.item_bytes <= slot.capacity;
}

Layout plan_layout(const LayoutRequest& request) {
  Layout layout = lay_out(request, true);
  if (layout.bytes > request.limit_bytes) layout = lay_out(request, false);
  add_sets(layout, request);
  return layout;
}

}  // namespace autokernel::judge
