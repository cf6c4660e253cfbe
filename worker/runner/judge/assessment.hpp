#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/protocol/record.hpp"

namespace autokernel::judge {

/// How one stage ended, and what the verdict is when that one decides.
struct StageResult {
  protocol::StageReport report;
  protocol::Verdict verdict = protocol::Verdict::kWrongOutput;  ///< meant when the outcome is failed
  std::string cheating_kind;
  bool judge_is_spent =
      false;  ///< the reference's own kernels lost the device: what is decided stands, nothing more can be
};

[[nodiscard]] StageResult passed(protocol::StageName name, std::string detail = {});
[[nodiscard]] StageResult failed(protocol::StageName name, protocol::Verdict verdict, std::string detail);
[[nodiscard]] StageResult skipped(protocol::StageName name, std::string detail);
[[nodiscard]] StageResult not_reached(protocol::StageName name);

struct Assessment {
  protocol::Verdict verdict = protocol::Verdict::kInfrastructure;
  std::string cheating_kind;
  bool correct = false;
  bool robust = false;
  std::string detail;
};

/// The verdict over the five stages, in their order, and the timing stage when it was taken.
///
/// Smoke and sweep decide `correct`; their failure is the verdict. After that the first failing stage names the
/// verdict, but the candidate stays correct, unless it was caught cheating. All five passed: robust. One skipped in
/// whole: correct only, and the detail says which. A timing that failed changes nothing but for cheating.
[[nodiscard]] Assessment assess(const std::vector<StageResult>& stages);

}  // namespace autokernel::judge
