#include "common/result/result.hpp"

#include <cstdio>
#include <cstdlib>

namespace autokernel {

std::string_view name_of(Code code) {
  switch (code) {
    case Code::kInvalid: return "invalid";
    case Code::kNotFound: return "not_found";
    case Code::kUnavailable: return "unavailable";
    case Code::kExhausted: return "exhausted";
    case Code::kStale: return "stale";
    case Code::kInternal: return "internal";
  }
  return "internal";
}

Error Error::within(std::string_view context) const { return Error{code, fmt::format("{}: {}", context, message)}; }

int exit_code_of(Code code) { return code == Code::kInvalid || code == Code::kNotFound ? 2 : 3; }

void check_failed(const char* expression, const char* file, int line) {
  std::fprintf(stderr, "autokernel: broken invariant: %s (%s:%d)\n", expression, file, line);
  std::abort();
}

}  // namespace autokernel
