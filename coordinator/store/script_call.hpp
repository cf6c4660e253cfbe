#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/result/result.hpp"
#include "coordinator/store/redis_connection.hpp"
#include "coordinator/store/transition.hpp"

/// Transitions as the scripts take them, and the scripts' answers as outcomes.
namespace autokernel::store {

[[nodiscard]] std::string_view script_of(const Transition& transition);

/// ARGV behind the epoch.
[[nodiscard]] std::vector<std::string> arguments_of(const Transition& transition);

/// kStale: STALE_EPOCH. kInvalid: WRONG_TYPE, the keys are another program's. kInternal: no answer of that script.
[[nodiscard]] Result<Outcome> outcome_of(const Transition& transition, const redisReply& reply);

/// The errors that every script may answer with, the answer's words otherwise.
[[nodiscard]] Result<std::vector<std::string>> answer_of(std::string_view script, const redisReply& reply);

}  // namespace autokernel::store
