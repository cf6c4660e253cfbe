#include "worker/runner/judge/layout.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace autokernel::judge {
namespace {

using ::testing::ElementsAre;

Shape floats(std::vector<std::int64_t> extents) { return {std::move(extents), 4}; }

/// Every element's place, in elements from the slot's start.
std::set<std::int64_t> places_of(const Shape& shape, const PlacedStrides& placed) {
  std::set<std::int64_t> places;
  std::vector<std::int64_t> index(shape.extents.size(), 0);
  for (std::uint64_t n = 0; n < shape.elements(); ++n) {
    std::int64_t place = placed.first;
    for (std::size_t d = 0; d < index.size(); ++d) place += index[d] * placed.strides[d];
    places.insert(place);
    for (std::size_t d = index.size(); d-- > 0;) {
      if (++index[d] < shape.extents[d]) break;
      index[d] = 0;
    }
  }
  return places;
}

class LayoutPlacements : public ::testing::TestWithParam<std::vector<std::int64_t>> {};

TEST_P(LayoutPlacements, GiveEveryElementItsOwnPlaceWithinTheExtent) {
  const Shape shape = floats(GetParam());
  for (const Placement placement :
       {Placement::kDense, Placement::kMisaligned, Placement::kPadded, Placement::kTransposed}) {
    const auto placed = place(shape, placement);
    if (!placed) continue;
    const auto places = places_of(shape, *placed);
    EXPECT_EQ(places.size(), shape.elements()) << name_of(placement);
    EXPECT_GE(*places.begin(), 0);
    EXPECT_LT(static_cast<std::uint64_t>(*places.rbegin()), placed->extent) << name_of(placement);
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, LayoutPlacements,
                         ::testing::Values(std::vector<std::int64_t>{}, std::vector<std::int64_t>{5},
                                           std::vector<std::int64_t>{3, 4}, std::vector<std::int64_t>{2, 3, 4},
                                           std::vector<std::int64_t>{4, 1}, std::vector<std::int64_t>{1, 4}));

TEST(Layout, PlacementsThatWouldChangeNothingDoNotExist) {
  EXPECT_FALSE(place(floats({}), Placement::kPadded));
  EXPECT_FALSE(place(floats({1, 8}), Placement::kPadded));
  EXPECT_FALSE(place(floats({8}), Placement::kTransposed));
  EXPECT_FALSE(place(floats({8, 1}), Placement::kTransposed));
  EXPECT_FALSE(place(floats({0, 4}), Placement::kMisaligned));
  EXPECT_TRUE(place(floats({}), Placement::kMisaligned));
}

TEST(Layout, DenseStridesAreRowMajor) {
  EXPECT_THAT(dense_strides({2, 3, 4}), ElementsAre(12, 4, 1));
  EXPECT_THAT(dense_strides({}), ElementsAre());
}

TEST(Layout, HasAsManyInputSetsAsFitTheirLimit) {
  const auto layout_with = [](std::uint64_t set_limit) {
    return plan_layout({{floats({64}), floats({64})}, {floats({3})}, {}, 1U << 20U, set_limit});
  };
  EXPECT_EQ(layout_with(0).sets(), 1U);
  EXPECT_EQ(layout_with(511).sets(), 1U);
  EXPECT_EQ(layout_with(512).sets(), 2U);
  EXPECT_EQ(layout_with(1U << 30U).sets(), kMostInputSets);
  const Layout layout = layout_with(2048);
  EXPECT_EQ(layout.sets(), 5U);
  std::uint64_t end = layout.output_offset + layout.output_bytes;
  for (std::size_t set = 1; set < layout.sets(); ++set) {
    for (const Slot& slot : layout.inputs_of(set)) {
      EXPECT_GE(slot.offset, end);
      EXPECT_EQ(slot.offset % 256, 0U);
      end = slot.offset + slot.capacity;
    }
  }
  EXPECT_LE(end, layout.bytes);
}

TEST(Layout, PlacesAreAlignedAndDoNotOverlap) {
  const Layout layout = plan_layout({{floats({3, 5}), floats({7})}, {floats({3})}, {floats({2, 2})}, 1U << 20U});
  std::uint64_t end = 0;
  for (const auto* slots : {&layout.inputs, &layout.outputs, &layout.weights}) {
    for (const Slot& slot : *slots) {
      EXPECT_EQ(slot.offset % 256, 0U);
      EXPECT_GE(slot.offset, end);
      EXPECT_GE(slot.capacity, slot.bytes);
      end = slot.offset + slot.capacity;
    }
  }
  EXPECT_GE(layout.bytes, end);
}

TEST(Layout, OutputsLieWithinTheOutputRegion) {
  const Layout layout = plan_layout({{floats({3})}, {floats({1000}), floats({5})}, {floats({9})}, 1U << 20U});
  for (const Slot& slot : layout.outputs) {
    EXPECT_GE(slot.offset, layout.output_offset);
    EXPECT_LE(slot.offset + slot.bytes, layout.output_offset + layout.output_bytes);
  }
  EXPECT_GE(layout.weights[0].offset, layout.output_offset + layout.output_bytes);
}

TEST(Layout, InputsHaveRoomForTheOtherPlacements) {
  const Shape shape = floats({64, 64});
  const Layout layout = plan_layout({{shape}, {shape}, {}, 1U << 20U});
  EXPECT_TRUE(layout.has_slack);
  for (const Placement placement : {Placement::kMisaligned, Placement::kPadded, Placement::kTransposed}) {
    EXPECT_TRUE(fits(layout.inputs[0], shape, placement)) << name_of(placement);
  }
}

TEST(Layout, WithoutMemoryToSpareOnlyTheSizeThatIsNeeded) {
  const Shape shape = floats({1024, 1024});
  const Layout layout = plan_layout({{shape}, {shape}, {}, 2 * shape.bytes()});
  EXPECT_FALSE(layout.has_slack);
  EXPECT_EQ(layout.bytes, 2 * shape.bytes());
  EXPECT_FALSE(fits(layout.inputs[0], shape, Placement::kMisaligned));
  EXPECT_TRUE(fits(layout.inputs[0], shape, Placement::kTransposed));
}

TEST(Layout, PaddingThatWouldDoubleALargeInputIsNotSetAside) {
  const Shape shape = floats({1 << 24, 2});
  const Layout layout = plan_layout({{shape}, {}, {}, std::uint64_t{1} << 40U});
  EXPECT_TRUE(fits(layout.inputs[0], shape, Placement::kMisaligned));
  EXPECT_FALSE(fits(layout.inputs[0], shape, Placement::kPadded));
  EXPECT_LT(layout.bytes, shape.bytes() + 65536);
}

}  // namespace
}  // namespace autokernel::judge
