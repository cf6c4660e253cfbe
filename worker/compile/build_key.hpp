#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "common/protocol/job.hpp"

namespace autokernel::compile {

/// Everything that can change what a build yields. Equal keys are interchangeable; the candidate's name is not in them.
struct BuildRequest {
  protocol::Language language = protocol::Language::kPython;
  std::string text;
  std::vector<std::string> architectures;  ///< of this node's GPUs; empty for a CPU-only node
};

/// The part of the key that is the same for every build of this process.
struct Toolchain {
  std::map<std::string, std::string> runner;  ///< Zygote::environment(): torch, python and toolkit versions
  std::string compilers;                      ///< compiler_identity()
  std::string include_digest;                 ///< of autokernel/kernel.h

  [[nodiscard]] std::string identity() const;
};

/// Path, size and change time of the host compiler and of nvcc and hipcc as a builder would find them: an upgrade
/// changes it, and asking costs no process start (what ccache calls compiler_check=mtime).
[[nodiscard]] std::string compiler_identity();

/// Names the build in the cache: lower-case hex.
[[nodiscard]] std::string build_key(const BuildRequest& request, const Toolchain& toolchain);

/// False for a Python candidate that calls none of torch's ways to build an extension: importing it builds nothing, and
/// what it compiles when called (Triton) is compiled on the lane and kept in the artefact folder. A wrong "true" costs
/// one import.
[[nodiscard]] bool needs_builder(protocol::Language language, std::string_view text);

/// ".py", ".cu", ".hip", ".cpp".
[[nodiscard]] std::string_view suffix_of(protocol::Language language);

}  // namespace autokernel::compile
