#include "worker/runner/compare/difference.hpp"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "worker/runner/compare/checksum.hpp"
#include "worker/runner/compare/vacuity.hpp"

namespace autokernel::compare {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr messages::Tolerance kTight{1e-4, 1e-4};

at::Tensor floats(std::vector<float> values) { return at::tensor(at::ArrayRef<float>(values)); }

TEST(Difference, EqualTensorsPassWithoutAnyDifference) {
  const at::Tensor x = at::rand({100, 7});
  const Difference difference = difference_of(x.clone(), x, kTight);
  EXPECT_TRUE(difference.passed());
  EXPECT_EQ(difference.max, 0);
  EXPECT_EQ(difference.elements, 700U);
}

TEST(Difference, FollowsAllcloseAtTheBound) {
  const at::Tensor expected = floats({1, 1, 100, 0});
  EXPECT_TRUE(difference_of(floats({1.00019F, 1, 100, 0}), expected, kTight).passed());
  EXPECT_FALSE(difference_of(floats({1.00022F, 1, 100, 0}), expected, kTight).passed());
  EXPECT_TRUE(difference_of(floats({1, 1, 100.0099F, 0}), expected, kTight).passed());
  EXPECT_FALSE(difference_of(floats({1, 1, 100, 0.0002F}), expected, kTight).passed());
}

TEST(Difference, ReportsTheFirstWrongElementAndTheShare) {
  at::Tensor found = at::zeros({4, 8});
  found[1][3] = 5;
  found[2][0] = -2;
  const Difference difference = difference_of(found, at::zeros({4, 8}), kTight);
  EXPECT_EQ(difference.wrong, 2U);
  EXPECT_EQ(difference.first_wrong, 11U);
  EXPECT_EQ(difference.found, 5);
  EXPECT_EQ(difference.expected, 0);
  EXPECT_EQ(difference.max, 5);
  EXPECT_NEAR(difference.mean, 7.0 / 32, 1e-9);
  EXPECT_THAT(words_for(difference, "the output", found.sizes()),
              HasSubstr("2 of 32 elements of the output are wrong (6.25%), by at most 5"));
  EXPECT_THAT(words_for(difference, "the output", found.sizes()), HasSubstr("first at [1, 3]: 5, expected 0"));
}

TEST(Difference, DoesNotSayByHowMuchANaNIsOff) {
  at::Tensor found = at::zeros({4, 8});
  found[1][3] = NAN;
  const std::string words = words_for(difference_of(found, at::zeros({4, 8}), kTight), "the output", found.sizes());
  EXPECT_THAT(words, HasSubstr("first at [1, 3]: nan, expected 0"));
  EXPECT_THAT(words, testing::Not(HasSubstr("by at most 0 (")));
}

TEST(Difference, FindsAWrongElementInAnyPiece) {
  const std::int64_t elements = (std::int64_t{1} << 18) * 3 + 5;
  for (const std::int64_t place : {std::int64_t{0}, (std::int64_t{1} << 18) - 1, std::int64_t{1} << 18, elements - 1}) {
    at::Tensor found = at::ones({elements});
    found[place] = 2;
    const Difference difference = difference_of(found, at::ones({elements}), kTight);
    EXPECT_EQ(difference.wrong, 1U);
    EXPECT_EQ(difference.first_wrong, static_cast<std::uint64_t>(place));
  }
}

TEST(Difference, InfinitiesMustMatchAndANanNeverDoes) {
  const float inf = INFINITY;
  EXPECT_TRUE(difference_of(floats({inf, -inf, 1.00001F}), floats({inf, -inf, 1}), kTight).passed());
  EXPECT_FALSE(difference_of(floats({inf, 1}), floats({-inf, 1}), kTight).passed());
  EXPECT_FALSE(difference_of(floats({inf, 1}), floats({3, 1}), kTight).passed());
  EXPECT_FALSE(difference_of(floats({3, 1}), floats({inf, 1}), kTight).passed());
  EXPECT_FALSE(difference_of(floats({NAN, 1}), floats({NAN, 1}), kTight).passed());
  EXPECT_FALSE(difference_of(floats({NAN, 1}), floats({2, 1}), kTight).passed());
}

TEST(Difference, WhereTheReferenceIsNotFiniteNothingIsComparedOnRequest) {
  const at::Tensor expected = floats({NAN, INFINITY, 1});
  EXPECT_TRUE(difference_of(floats({7, 8, 1}), expected, kTight, NonFinite::kNotCompared).passed());
  EXPECT_FALSE(difference_of(floats({7, 8, NAN}), expected, kTight, NonFinite::kNotCompared).passed());
}

TEST(Difference, TheLargestDifferenceStaysFinite) {
  const Difference difference = difference_of(floats({INFINITY, 3}), floats({1, 1}), kTight);
  EXPECT_EQ(difference.max, 2);
  EXPECT_EQ(difference.wrong, 2U);
}

TEST(Difference, IntegersMustBeEqual) {
  const at::Tensor expected = at::arange(10);
  at::Tensor found = expected.clone();
  EXPECT_TRUE(difference_of(found, expected, kTight).passed());
  found[4] = 5;
  const Difference difference = difference_of(found, expected, {10, 10});
  EXPECT_EQ(difference.first_wrong, 4U);
}

TEST(Difference, PoisonIsNotABoolean) {
  at::Tensor found = at::ones({4}, at::kBool);
  found.view(at::kByte).fill_(0xFF);
  const Difference difference = difference_of(found, at::ones({4}, at::kBool), kTight);
  EXPECT_EQ(difference.wrong, 4U);
  EXPECT_TRUE(difference.unwritten);
}

TEST(Difference, ElementsThatKeepThePoisonWereNeverWritten) {
  at::Tensor found = at::ones({2, 3});
  found[1].view(at::kInt).fill_(-1);
  const Difference difference = difference_of(found, at::ones({2, 3}), kTight);
  EXPECT_TRUE(difference.unwritten);
  EXPECT_THAT(words_for(difference, "the output", found.sizes()), HasSubstr("element [1, 0] was never written"));
}

TEST(Difference, HalfTypesAreComparedInFloat32) {
  const at::Tensor expected = at::full({4}, 300.0, at::kHalf);
  const at::Tensor found = at::full({4}, 302.0, at::kHalf);
  EXPECT_TRUE(difference_of(found, expected, {1e-2, 1e-2}).passed());
  EXPECT_FALSE(difference_of(found, expected, {1e-3, 1e-3}).passed());
}

TEST(Difference, ScalarsAndEmptyTensorsHaveAnIndexToo) {
  const Difference scalar = difference_of(at::full({}, 2.0), at::full({}, 1.0), kTight);
  EXPECT_THAT(words_for(scalar, "the output", {}), HasSubstr("first at []: 2, expected 1"));
  EXPECT_TRUE(difference_of(at::empty({0, 3}), at::empty({0, 3}), kTight).passed());
}

TEST(Difference, NonContiguousTensorsAreReadInTheirLogicalOrder) {
  const at::Tensor x = at::rand({5, 6});
  EXPECT_TRUE(difference_of(x.t().contiguous().t(), x, kTight).passed());
}

TEST(NotFinite, NamesTheFirstElementThatIsFiniteInTheReference) {
  bool unwritten = false;
  EXPECT_FALSE(first_not_finite(floats({1, INFINITY}), floats({1, INFINITY}), unwritten));
  EXPECT_EQ(first_not_finite(floats({1, 2, NAN}), floats({1, 2, 3}), unwritten), 2U);
  EXPECT_FALSE(unwritten);
  EXPECT_EQ(first_not_finite(floats({1, NAN}), at::Tensor(), unwritten), 1U);
}

struct Float64Case {
  at::Tensor exact = at::rand({64, 64}, at::kDouble).add_(1);
  at::Tensor reference = exact.to(at::kFloat) + at::randn({64, 64}) * 5e-4;  // TF32-like
};

TEST(Float64Rule, AMoreExactCandidatePasses) {
  const Float64Case the;
  const auto precise =
      precise_difference_of(the.exact.to(at::kFloat), the.reference, the.exact, {1e-6, 1e-6}, 6, NonFinite::kMustMatch);
  EXPECT_TRUE(precise.decides);
  EXPECT_TRUE(precise.difference.passed());
  EXPECT_NEAR(precise.reference_error, 5e-4, 5e-5);
}

TEST(Float64Rule, ACandidateThatRoundsAsTheReferenceDoesPasses) {
  const Float64Case the;
  const at::Tensor candidate = the.exact.to(at::kFloat) + at::randn({64, 64}) * 5e-4;
  EXPECT_TRUE(precise_difference_of(candidate, the.reference, the.exact, {1e-6, 1e-6}, 6, NonFinite::kMustMatch)
                  .difference.passed());
}

TEST(Float64Rule, AMuchWorseCandidateFails) {
  const Float64Case the;
  const at::Tensor candidate = the.exact.to(at::kFloat) + at::randn({64, 64}) * 1e-2;
  EXPECT_FALSE(precise_difference_of(candidate, the.reference, the.exact, {1e-6, 1e-6}, 6, NonFinite::kMustMatch)
                   .difference.passed());
}

TEST(Float64Rule, OneWrongElementFails) {
  const Float64Case the;
  at::Tensor candidate = the.exact.to(at::kFloat).clone();
  candidate[10][10] = 0;
  const auto precise =
      precise_difference_of(candidate, the.reference, the.exact, {1e-4, 1e-4}, 6, NonFinite::kMustMatch);
  EXPECT_FALSE(precise.difference.passed());
  EXPECT_EQ(precise.difference.first_wrong, 650U);
}

TEST(Float64Rule, DecidesNothingWhereTheReferenceIsAnotherComputation) {
  const at::Tensor exact = at::rand({32, 32}, at::kDouble);
  const auto precise =
      precise_difference_of(at::zeros({32, 32}), at::rand({32, 32}), exact, {1e-4, 1e-4}, 6, NonFinite::kMustMatch);
  EXPECT_FALSE(precise.decides);
}

TEST(Float64Rule, DecidesNothingWithoutAFiniteElement) {
  const at::Tensor nan = at::full({4}, NAN);
  EXPECT_FALSE(precise_difference_of(nan, nan, nan.to(at::kDouble), {1e-4, 1e-4}, 6, NonFinite::kNotCompared).decides);
}

TEST(Float64Rule, AnOverflowOfTheReferenceMustBeSharedOrIsNotCompared) {
  const at::Tensor exact = at::tensor({1e300, 1.0}, at::kDouble);
  const at::Tensor reference = floats({INFINITY, 1});
  const auto pass = [&](const at::Tensor& found, NonFinite mode) {
    return precise_difference_of(found, reference, exact, {1e-4, 1e-4}, 6, mode).difference.passed();
  };
  EXPECT_TRUE(pass(floats({INFINITY, 1}), NonFinite::kMustMatch));
  EXPECT_FALSE(pass(floats({0, 1}), NonFinite::kMustMatch));
  EXPECT_TRUE(pass(floats({0, 1}), NonFinite::kNotCompared));
}

TEST(Checksum, ChangesWithEveryByteAndWithTheKey) {
  std::vector<std::byte> bytes(1000);
  const auto original = checksum_of_bytes(bytes, 1);
  EXPECT_EQ(checksum_of_bytes(bytes, 1), original);
  EXPECT_NE(checksum_of_bytes(bytes, 2), original);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = std::byte{1};
    EXPECT_NE(checksum_of_bytes(bytes, 1), original) << i;
    bytes[i] = std::byte{0};
  }
  EXPECT_NE(checksum_of_bytes(std::span(bytes).first(999), 1), original);
}

TEST(Checksum, SeesSwappedValuesAndPairsOfFlippedSigns) {
  const Checksummer sums(at::kCPU, secret_number());
  const at::Tensor x = at::rand({64}).add_(0.1);
  const auto original = sums.of(x);
  at::Tensor flipped = x.clone();
  flipped[3] = -flipped[3];
  flipped[5] = -flipped[5];
  EXPECT_NE(sums.of(flipped), original);
  EXPECT_NE(sums.of(x.flip({0}).contiguous()), original);
  EXPECT_EQ(sums.of(x.clone()), original);
}

TEST(Vacuity, NamesWhatWouldPass) {
  const at::Tensor tiny = at::rand({100}) * 1e-5;
  EXPECT_THAT(trivial_answers({tiny}, {}, kTight), ElementsAre("zeros", "mean"));
  EXPECT_THAT(trivial_answers({at::ones({100})}, {}, kTight), ElementsAre("ones", "mean"));
  const at::Tensor x = at::rand({1000}).add_(1);
  EXPECT_THAT(trivial_answers({x}, {x}, kTight), ElementsAre("input"));
  EXPECT_THAT(trivial_answers({x}, {at::rand({1000})}, kTight), IsEmpty());
}

TEST(Vacuity, LooksAtEveryElement) {
  at::Tensor almost = at::zeros({1 << 20});
  almost[(1 << 20) - 1] = 1;
  EXPECT_THAT(trivial_answers({almost}, {}, kTight), Not(Contains("zeros")));
}

TEST(Vacuity, IntegersAreSound) { EXPECT_THAT(trivial_answers({at::zeros({4}, at::kLong)}, {}, kTight), IsEmpty()); }

}  // namespace
}  // namespace autokernel::compare
