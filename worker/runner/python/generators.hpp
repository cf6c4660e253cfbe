#pragma once

#include <cstdint>

#include "worker/runner/device/device.hpp"

/// The random generators that a problem or a candidate may draw from. Needs the interpreter; main thread.
namespace autokernel::runner {

/// Finds Python's and numpy's generators, once, before any foreign code is loaded. Throws what their imports throw.
void find_generators();

/// torch's generators alone. Well under a microsecond; queues nothing.
void seed_torch(std::uint64_t seed, const Device& device);

/// torch's, Python's and numpy's own generators (numpy takes the lower 32 bits). Runs C code only: a candidate that
/// replaced random.seed by a function of its own would otherwise be called here, outside of every timer. About 10 us.
void seed_all(std::uint64_t seed, const Device& device);

}  // namespace autokernel::runner
