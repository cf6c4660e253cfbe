#include "client/doctor/finding.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace autokernel::client {

using protocol::Value;

bool can_sweep(const std::vector<Finding>& findings) {
  return std::all_of(findings.begin(), findings.end(),
                     [](const Finding& finding) { return finding.found || !finding.required; });
}

std::string findings_text(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& finding : findings) {
    const char* mark = finding.found ? "ok" : finding.required ? "MISSING" : "-";
    text += fmt::format("{:<8} {:<18} {}\n", mark, finding.name, finding.detail);
    if (!finding.remedy.empty()) text += fmt::format("{:<8} {:<18} get it: {}\n", "", "", finding.remedy);
  }
  text += can_sweep(findings) ? "\nA sweep can run here.\n" : "\nA sweep cannot run here: get what is MISSING first.\n";
  return text;
}

Value findings_value(const std::vector<Finding>& findings) {
  Value::Array array;
  for (const Finding& finding : findings) {
    array.push_back(Value(Value::Map{{"name", Value(finding.name)},
                                     {"found", Value(finding.found)},
                                     {"required", Value(finding.required)},
                                     {"detail", Value(finding.detail)},
                                     {"remedy", finding.remedy.empty() ? Value() : Value(finding.remedy)}}));
  }
  return Value(Value::Map{{"can_sweep", Value(can_sweep(findings))}, {"findings", Value(std::move(array))}});
}

}  // namespace autokernel::client
