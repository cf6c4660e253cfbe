#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/protocol/options.hpp"
#include "common/result/result.hpp"

namespace autokernel::kernelbench {

/// |candidate - reference| may be up to absolute + relative * |reference|, element by element.
struct Tolerance {
  double absolute = 0;
  double relative = 0;
  bool operator==(const Tolerance&) const = default;
};

/// The numbers of one version of KernelBench's evaluation. A released table never changes: a new version gets a new
/// name.
struct RuleTable {
  std::string_view name;
  std::string_view description;
  Tolerance fp32;
  Tolerance fp16;
  Tolerance bf16;
  std::int64_t trials = 5;  ///< of stage 2, unless the call says otherwise
  std::uint64_t seed = 42;
  std::vector<double> speedup_thresholds;  ///< the p of fast_p

  [[nodiscard]] const Tolerance& tolerance(protocol::Precision precision) const;
};

[[nodiscard]] std::span<const RuleTable> all_rules();

/// kInvalid: no such table; the message lists those there are. The table lives as long as the program.
[[nodiscard]] Result<const RuleTable*> find_rules(std::string_view name);

}  // namespace autokernel::kernelbench
