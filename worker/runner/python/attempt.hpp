#pragma once

#include <string>
#include <tl/expected.hpp>
#include <type_traits>
#include <utility>

#include "common/result/result.hpp"
#include "worker/messages/candidate.hpp"

namespace autokernel::runner {

/// A value, or how somebody's Python (or native) code failed: data for a verdict, not an Error of ours.
template <class T>
using Attempt = tl::expected<T, messages::Failed>;

/// The exception being handled, as data; call it in a catch block. Sorts out what ran out of memory
/// (torch.OutOfMemoryError, MemoryError, the CPU allocator) and what broke the device ("CUDA error: …").
[[nodiscard]] messages::Failed failed_from_exception();

/// A device's or arena's Error in the same form (kUnavailable: device_error; kExhausted: out_of_memory).
[[nodiscard]] messages::Failed failed_from(const Error& error);

[[nodiscard]] messages::Failed failed_with(messages::FailureKind kind, std::string message);

/// Runs the function; whatever it throws (Python's, torch's, the standard library's) becomes a Failed.
template <class Function>
[[nodiscard]] auto attempt(Function&& function) -> Attempt<std::invoke_result_t<Function>> {
  try {
    if constexpr (std::is_void_v<std::invoke_result_t<Function>>) {
      std::forward<Function>(function)();
      return {};
    } else {
      return std::forward<Function>(function)();
    }
  } catch (...) {
    return tl::unexpected(failed_from_exception());
  }
}

}  // namespace autokernel::runner
