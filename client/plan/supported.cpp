#include "client/plan/supported.hpp"

namespace autokernel::client {

Result<void> check_supported(const protocol::EvaluationOptions& options) {
  if (options.sandbox == protocol::SandboxMode::kRequire) {
    return fail(Code::kInvalid,
                "--sandbox require: this version has no sandbox to put a candidate into, only a process of its own; "
                "take --sandbox best (the default), which runs without");
  }
  return {};
}

}  // namespace autokernel::client
