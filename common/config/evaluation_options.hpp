#pragma once

#include <string>
#include <vector>

#include "common/config/program.hpp"
#include "common/protocol/options.hpp"

namespace autokernel::config {

/// The evaluation options, the same for every command that evaluates. `rules`: the names --protocol takes.
void bind_evaluation_options(Command& command, protocol::EvaluationOptions& options,
                             const std::vector<std::string>& rules = {"main", "v0.1"});

}  // namespace autokernel::config
