#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>

#include "common/protocol/tagged.hpp"

/// Between the agent (A) and the zygote (Z), over the Channel on the zygote's descriptor 3. The zygote has torch
/// imported, no CUDA context and one thread that matters: it forks builders, judges and candidates in milliseconds.
namespace autokernel::messages {

enum class Role { kBuilder, kJudge, kCandidate };
constexpr auto names_of(Role) {
  using enum Role;
  return std::array{std::pair{kBuilder, std::string_view("builder")}, std::pair{kJudge, std::string_view("judge")},
                    std::pair{kCandidate, std::string_view("candidate")}};
}

/// A→Z, with one descriptor: the child's end of its own Channel. The child leads a process group of its own.
struct Spawn {
  static constexpr std::string_view kType = "spawn";
  std::uint64_t child = 0;  ///< chosen by the agent, never reused
  Role role = Role::kBuilder;
  std::map<std::string, std::string> environment;  ///< set in C and in os.environ before the role starts
  std::string output_path;                         ///< the child's stdout and stderr; truncated at start
  std::string folder;                              ///< its working directory, which exists
  std::uint64_t memory_bytes = 0;                  ///< address-space limit beyond what the zygote has mapped; 0: none
  template <class Archive>
  void describe(Archive& archive) {
    archive.field("child", child);
    archive.field("role", role);
    archive.field("environment", environment);
    archive.field("output_path", output_path);
    archive.field("folder", folder);
    archive.field("memory_bytes", memory_bytes);
  }
};

/// A→Z. SIGKILL to the child's whole process group; answered by Exited.
struct Kill {
  static constexpr std::string_view kType = "kill";
  std::uint64_t child = 0;
  template <class Archive>
  void describe(Archive& archive) {
    archive.field("child", child);
  }
};

using ToZygote = std::variant<Spawn, Kill>;

/// Z→A, once, when torch is imported.
struct Ready {
  static constexpr std::string_view kType = "ready";
  std::map<std::string, std::string> environment;  ///< "torch", "python", "torch_cuda" (its toolkit or ""), "torch_hip"
  template <class Archive>
  void describe(Archive& archive) {
    archive.field("environment", environment);
  }
};

/// Z→A, once, instead of Ready: this machine cannot run candidates (no torch, too old a torch); then the zygote exits.
struct Unfit {
  static constexpr std::string_view kType = "unfit";
  std::string reason;  ///< for a person: what is wrong and what to do
  template <class Archive>
  void describe(Archive& archive) {
    archive.field("reason", reason);
  }
};

/// Z→A. The child ended and is reaped. A child that could not be forked "ends" with code 127.
struct Exited {
  static constexpr std::string_view kType = "exited";
  std::uint64_t child = 0;
  int code = 0;
  int signal = 0;
  template <class Archive>
  void describe(Archive& archive) {
    archive.field("child", child);
    archive.field("code", code);
    archive.field("signal", signal);
  }
};

using FromZygote = std::variant<Ready, Unfit, Exited>;

}  // namespace autokernel::messages
