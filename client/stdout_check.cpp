#include "client/stdout_check.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "common/result/result.hpp"

namespace autokernel::client {

int exit_code_after_output(std::string_view program, int exit_code, std::FILE* output, std::FILE* errors) {
  // What printf could not write it only remembers; what still lies in its buffer may fail now.
  errno = 0;
  const bool flushed = std::fflush(output) == 0;
  const int cause = errno;
  if (flushed && std::ferror(output) == 0) return exit_code;
  const std::string why = cause == 0 ? std::string() : fmt::format(": {}", std::strerror(cause));
  std::fputs(fmt::format("{}: cannot write to stdout{}; the output is not complete\n", program, why).c_str(), errors);
  return exit_code_of(Code::kUnavailable);
}

}  // namespace autokernel::client
