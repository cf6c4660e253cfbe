#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "common/protocol/job.hpp"
#include "common/protocol/tagged.hpp"

/// Between the agent (A) and a builder (B): one Build, one Built, then the builder exits.
namespace autokernel::messages {

/// A→B. Python: imports the candidate with no GPU visible and TORCH_EXTENSIONS_DIR = `artefact_folder`, so that its
/// load_inline extensions are built there. Native: compiles `source_path` to `artefact_folder`/kernel.so.
struct Build {
  static constexpr std::string_view kType = "build";
  protocol::Language language = protocol::Language::kPython;
  std::string source_path;                 ///< the candidate's own file name, in a folder of its own
  std::string artefact_folder;             ///< exists and is writable; the same path at load time
  std::string include_folder;              ///< holds autokernel/kernel.h
  std::vector<std::string> architectures;  ///< CUDA: "9.0"; HIP: "gfx90a"; empty for the CPU
  template <class Archive>
  void describe(Archive& archive) {
    archive.field("language", language);
    archive.field("source_path", source_path);
    archive.field("artefact_folder", artefact_folder);
    archive.field("include_folder", include_folder);
    archive.field("architectures", architectures);
  }
};

enum class BuildOutcome {
  kBuilt,         ///< artefacts are complete; also when there was nothing to build
  kCompileError,  ///< the candidate's own fault; `log` has the compiler's words
  kMissingTool,   ///< this machine lacks the compiler: infrastructure, never the candidate's fault
};
constexpr auto names_of(BuildOutcome) {
  using enum BuildOutcome;
  return std::array{std::pair{kBuilt, std::string_view("built")},
                    std::pair{kCompileError, std::string_view("compile_error")},
                    std::pair{kMissingTool, std::string_view("missing_tool")}};
}

/// B→A.
struct Built {
  static constexpr std::string_view kType = "built";
  BuildOutcome outcome = BuildOutcome::kBuilt;
  std::string detail;  ///< the first error lines, at most 4 KiB
  double seconds = 0;
  template <class Archive>
  void describe(Archive& archive) {
    archive.field("outcome", outcome);
    archive.field("detail", detail);
    archive.field("seconds", seconds);
  }
};

using ToBuilder = std::variant<Build>;
using FromBuilder = std::variant<Built>;

}  // namespace autokernel::messages
