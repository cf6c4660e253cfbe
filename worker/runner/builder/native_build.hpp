#pragma once

#include <string>
#include <vector>

#include "worker/messages/builder.hpp"

namespace autokernel::runner {

/// Compiles a native candidate to `artefact_folder`/kernel.so, which appears only when it is whole. Blocks for as long
/// as the compiler runs (about a second); the caller's group is killed when it takes too long.
[[nodiscard]] messages::Built build_native(const messages::Build& request);

/// The compiler's command line; arguments[0] is empty when there is no such compiler.
[[nodiscard]] std::vector<std::string> compile_command(const messages::Build& request, const std::string& output);

}  // namespace autokernel::runner
