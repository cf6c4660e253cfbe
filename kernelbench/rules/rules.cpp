#include "kernelbench/rules/rules.hpp"

#include <array>

#include "kernelbench/problem/near_names.hpp"

namespace autokernel::kernelbench {
namespace {

constexpr Tolerance kTight{1e-4, 1e-4};
constexpr Tolerance kLoose{1e-2, 1e-2};

}  // namespace

const Tolerance& RuleTable::tolerance(protocol::Precision precision) const {
  switch (precision) {
    case protocol::Precision::kFp16: return fp16;
    case protocol::Precision::kBf16: return bf16;
    case protocol::Precision::kFp32: break;
  }
  return fp32;
}

std::span<const RuleTable> all_rules() {
  static const std::vector<double> thresholds{0, 0.5, 0.8, 1, 1.5, 2, 3, 5};
  static const std::array<RuleTable, 2> tables{
      RuleTable{"main", "KernelBench's main branch: 1e-4 in fp32, 1e-2 in fp16 and bf16", kTight, kLoose, kLoose, 5, 42,
                thresholds},
      RuleTable{"v0.1", "KernelBench v0.1, as first published: 1e-2 throughout", kLoose, kLoose, kLoose, 5, 42,
                thresholds}};
  return tables;
}

Result<const RuleTable*> find_rules(std::string_view name) {
  std::vector<std::string> known;
  std::string list;
  for (const RuleTable& table : all_rules()) {
    if (table.name == name) return &table;
    known.emplace_back(table.name);
    list += (list.empty() ? "" : ", ") + known.back();
  }
  const std::string near = suggestion(near_names(name, known));
  return fail(Code::kInvalid, "unknown protocol '{}'{} Known: {}", name, near.empty() ? "." : near, list);
}

}  // namespace autokernel::kernelbench
