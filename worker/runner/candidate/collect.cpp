#include "worker/runner/candidate/collect.hpp"

namespace autokernel::runner {
namespace {

/// The expected places for tensors, the real values for the rest.
messages::Item at_expected_places(const messages::Item& real, const messages::Item& expected) {
  messages::Item placed = real;
  const auto views = views_of(placed);
  const auto places = views_of(expected);
  for (std::size_t i = 0; i < views.size(); ++i) *views[i] = *places[i];
  return placed;
}

}  // namespace

Attempt<Collected> collect(const Description& description, const messages::ResultPlace& result_place,
                           const Arena& arena) {
  Collected collected{description.item, description.violation};
  if (!description.violation.empty()) return collected;
  if (same_structure(description.item, result_place.expected)) {
    collected.item = at_expected_places(description.item, result_place.expected);
  } else {
    const std::uint64_t begin = result_place.output_offset;
    const std::uint64_t room = result_place.output_bytes > kNotInArena - begin ? 0 : result_place.output_bytes;
    place(collected.item, begin, begin + room);
  }
  if (auto stored = store(description, collected.item, arena); !stored)
    return tl::unexpected(failed_from(stored.error()));
  return collected;
}

}  // namespace autokernel::runner
