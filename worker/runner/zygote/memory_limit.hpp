#pragma once

#include <cstdint>

/// The address-space limit of a forked child, in two steps: set soft at its start, made final before foreign code runs.
namespace autokernel::runner {

/// Allows `bytes` beyond what is mapped now; 0: no limit. The hard limit stays where it is.
void limit_memory(std::uint64_t bytes);

/// Allows `more` bytes (an arena that is about to be mapped), and makes the limit final. Nothing without a limit.
void settle_memory_limit(std::uint64_t more);

}  // namespace autokernel::runner
