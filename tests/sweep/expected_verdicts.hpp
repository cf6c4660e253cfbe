#pragma once

#include <map>
#include <string>

namespace autokernel::test {

/// samples/expected.tsv: candidate → verdict (or "skipped") on a kind of device, "cpu" or "cuda".
[[nodiscard]] std::map<std::string, std::string> expected_verdicts(const std::string& device);

/// True where autokernel-runner was built beside autokernel.
[[nodiscard]] bool has_runner();

}  // namespace autokernel::test

/// For tests that judge for real: the runner is built only where PyTorch was found.
#define AUTOKERNEL_REQUIRE_RUNNER()                                                                       \
  do {                                                                                                    \
    if (!::autokernel::test::has_runner()) {                                                              \
      if (::autokernel::test::is_ci()) FAIL() << "autokernel-runner is not built: PyTorch was not found"; \
      GTEST_SKIP() << "autokernel-runner is not built: PyTorch was not found";                            \
    }                                                                                                     \
  } while (false)
