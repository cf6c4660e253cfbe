#pragma once

#include <map>
#include <string>

#include "common/result/result.hpp"

/// The embedded CPython: one per process, started once, never finalised (processes leave by _exit: a candidate's
/// threads and CUDA's own would make an orderly end a gamble). The main thread holds the GIL for ever.
namespace autokernel::runner {

/// The interpreter that AUTOKERNEL_PYTHON names, otherwise the one that the runner was built with.
[[nodiscard]] std::string python_program();

/// Starts it and imports torch. Returns "torch", "python", "torch_cuda" (its toolkit, or "") and "torch_hip".
/// kUnavailable: no such Python, no torch, one too old, or another than the runner was built with; the message says
/// what to do. Runs no tensor operation and leaves CUDA alone, so that the process may fork.
[[nodiscard]] Result<std::map<std::string, std::string>> start_interpreter();

/// Flushes Python's and C's output and leaves without running destructors.
[[noreturn]] void leave(int code);

}  // namespace autokernel::runner
