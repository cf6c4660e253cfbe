#pragma once

#include <cstdint>
#include <string>

#include "worker/messages/candidate.hpp"

namespace autokernel::judge {

/// What is known about memory when a problem fails.
struct MemoryState {
  std::uint64_t needed_bytes = 0;  ///< inputs and outputs, as far as known; 0: unknown
  std::uint64_t free_bytes = 0;
};

/// Why a problem cannot be used here, in words that a person can act on: a missing package with the command that brings
/// it, memory needed and free, or the exception's own text. `doing` is what was tried: "loading the problem", "its
/// forward".
[[nodiscard]] std::string problem_words(const messages::Failed& failed, const std::string& doing,
                                        const MemoryState& memory);

/// "1.5 GB", "12 MB"
[[nodiscard]] std::string bytes_text(std::uint64_t bytes);

}  // namespace autokernel::judge
