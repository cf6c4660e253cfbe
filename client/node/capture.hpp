#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "common/result/result.hpp"
#include "common/system/process.hpp"

namespace autokernel::client {

struct Captured {
  system::ExitStatus status;
  std::string output;  ///< stdout, at most 1 MB of it
  std::string errors;  ///< stderr, likewise
};

/// Runs a program to its end and keeps what it prints. kNotFound: there is no such program. kUnavailable: it was still
/// running after `timeout` and was ended.
[[nodiscard]] Result<Captured> capture(const std::vector<std::string>& arguments, std::chrono::milliseconds timeout);

}  // namespace autokernel::client
