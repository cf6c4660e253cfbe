#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "worker/messages/candidate.hpp"
#include "worker/runner/python/attempt.hpp"

/// Which device kernels one forward launches. Evidence, not proof: the record is made by torch's profiler within the
/// candidate's own process, and a kernel is taken for the framework's by its name, so that a candidate which names its
/// kernel "at::native::…" is called a library user (to its own harm), and one that copies a library's kernel under
/// another name, or launches a kernel of its own that does nothing, counts as custom.
namespace autokernel::runner {

/// Names of the kernels that `forward` launches, in order; copies and fills by the driver are left out.
[[nodiscard]] Attempt<std::vector<std::string>> traced_kernels(const std::function<Attempt<void>()>& forward);

/// True for kernels of torch itself and of the vendors' libraries that it calls.
[[nodiscard]] bool is_library_kernel(std::string_view name);

/// Each name once, sorted into custom and library.
[[nodiscard]] messages::Launches sort_launches(const std::vector<std::string>& names);

}  // namespace autokernel::runner
