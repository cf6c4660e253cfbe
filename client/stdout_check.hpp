#pragma once

#include <cstdio>
#include <string_view>

namespace autokernel::client {

/// The exit code of a program that has said all it had to say: `exit_code`, unless some of it could not be written to
/// `output` (a full disk, a closed descriptor). Then a message goes to `errors`, and the code is the machine's.
[[nodiscard]] int exit_code_after_output(std::string_view program, int exit_code, std::FILE* output, std::FILE* errors);

}  // namespace autokernel::client
