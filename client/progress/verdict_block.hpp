#pragma once

#include <string>

#include "client/progress/format.hpp"
#include "common/protocol/record.hpp"

namespace autokernel::client {

/// "  smoke        passed       0.41 s", and the detail where there is one.
[[nodiscard]] std::string stage_line(const protocol::StageReport& stage, const Paint& paint);

/// One verdict for a person: the verdict, the stages, the times, the speedup with its interval, and what to know about
/// it. Without the stages where they were shown as they ended.
[[nodiscard]] std::string verdict_block(const protocol::Record& record, const Paint& paint, bool with_stages = true);

}  // namespace autokernel::client
