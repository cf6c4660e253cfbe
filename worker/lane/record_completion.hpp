#pragma once

#include <string>

#include "common/protocol/messages.hpp"
#include "worker/compile/builder.hpp"

namespace autokernel::lane {

/// A record without a judge: the build failed, the problem does not load here, this machine is at fault.
[[nodiscard]] protocol::Record failed_record(protocol::Verdict verdict, std::string detail);

/// The build as a stage of the record.
[[nodiscard]] protocol::StageReport build_stage(const protocol::JobSpec& spec, const compile::BuildResult& build);

/// Fills in what the worker knows and the judge does not: whose verdict it is, what it was asked with, digests, the
/// build stage, and the stages that were never reached.
void complete_record(protocol::Record& record, const protocol::Dispatch& dispatch, const compile::BuildResult& build);

}  // namespace autokernel::lane
