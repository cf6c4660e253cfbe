#pragma once

#include <cstddef>
#include <string>

#include "common/protocol/describe.hpp"
#include "common/protocol/record.hpp"
#include "common/result/result.hpp"

namespace autokernel::dispatch {

/// The record packed into at most `limit` bytes. One that is larger loses timing samples (every second one, as often as
/// needed), and its detail says so; the statistics over all samples stay. kInvalid: it is too large without any
/// samples.
[[nodiscard]] Result<std::string> pack_within(protocol::Record record, std::size_t limit);

}  // namespace autokernel::dispatch
