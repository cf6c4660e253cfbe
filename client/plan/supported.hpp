#pragma once

#include "common/protocol/options.hpp"
#include "common/result/result.hpp"

namespace autokernel::client {

/// kInvalid where no worker of this version can do what is asked. Called before anything is read or written: a worker
/// refuses the same, but job by job, after three tries each, and the run folder is then full of `infrastructure`.
[[nodiscard]] Result<void> check_supported(const protocol::EvaluationOptions& options);

}  // namespace autokernel::client
