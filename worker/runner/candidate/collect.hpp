#pragma once

#include <string>

#include "worker/messages/candidate.hpp"
#include "worker/runner/python/attempt.hpp"
#include "worker/runner/python/items.hpp"

namespace autokernel::runner {

struct Collected {
  messages::Item item;  ///< as described, its tensors where they were copied to
  std::string violation;
};

/// Copies a result into the arena: to the reference's places when it has the reference's structure, otherwise densely
/// into the place's spare room, so that the judge can say how far off it is. A result with a violation is described,
/// not copied. Queued, not waited for.
[[nodiscard]] Attempt<Collected> collect(const Description& description, const messages::ResultPlace& result_place,
                                         const Arena& arena);

}  // namespace autokernel::runner
