#pragma once

#include <cstdint>
#include <string>

#include "common/protocol/record.hpp"

namespace autokernel::judge {

/// A problem of one linear layer: batch 6, 16 inputs, 8 outputs, then ReLU.
extern const char* const kLinear;

/// A candidate for kLinear whose forward has this body; `y` is the right answer.
[[nodiscard]] std::string linear_candidate(const std::string& body, const std::string& head = "");

/// Two trials, no timing.
[[nodiscard]] protocol::EvaluationOptions quick();
/// The same with so many timing samples.
[[nodiscard]] protocol::EvaluationOptions quick_with_samples(std::int64_t samples);

/// A class of that name without weights whose forward takes `x` and returns this.
[[nodiscard]] std::string model_returning(const std::string& class_name, const std::string& result);

[[nodiscard]] protocol::StageOutcome outcome_of(const protocol::Record& record, protocol::StageName name);
[[nodiscard]] std::string detail_of(const protocol::Record& record, protocol::StageName name);
[[nodiscard]] std::string name_of(protocol::Verdict verdict);

}  // namespace autokernel::judge
