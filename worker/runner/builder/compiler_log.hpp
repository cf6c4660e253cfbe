#pragma once

#include <string>
#include <string_view>

/// Reading what compilers, linkers and ninja say.
namespace autokernel::runner {

/// The lines that say what is wrong, first ones first, each with the source line that the compiler shows under it; the
/// log's last lines when none does. At most 4 KiB.
[[nodiscard]] std::string first_errors(std::string_view log);

/// Whether the log says that a program of the toolchain is not there, which is the machine's fault.
[[nodiscard]] bool says_tool_is_missing(std::string_view log);

}  // namespace autokernel::runner
