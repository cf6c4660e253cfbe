#include "kernelbench/export/baseline_json.hpp"

#include <algorithm>

#include "kernelbench/export/hardware.hpp"
#include "kernelbench/export/json.hpp"
#include "kernelbench/export/timing_json.hpp"
#include "kernelbench/problem/catalogue.hpp"

namespace autokernel::kernelbench {
namespace {

using protocol::Value;

std::string file_name_of(const std::string& problem) {
  const std::size_t slash = problem.rfind('/');
  return slash == std::string::npos ? problem : problem.substr(slash + 1);
}

/// A baseline's number: the digits before the first underscore, whether or not the name ends in .py.
std::optional<int> number_of(const std::string& name) {
  const auto parsed = parse_problem_file_name(name.ends_with(".py") ? name : name + ".py");
  return parsed ? std::optional(parsed->id) : std::nullopt;
}

std::optional<TimingStats> reference_stats(const protocol::Record& record) {
  if (!record.timing) return std::nullopt;
  const auto& summary = record.timing->reference_us;
  const auto milliseconds = [](double microseconds) { return three_digits(microseconds / 1000); };
  return TimingStats{milliseconds(summary.mean), milliseconds(summary.std), milliseconds(summary.min),
                     milliseconds(summary.max),  summary.samples,           hardware_of(record),
                     torch_device_of(record)};
}

}  // namespace

std::string baseline_text(const Baseline& baseline) {
  Value::Map levels;
  for (const auto& [level, entries] : baseline.levels) {
    // In the order of the problems' numbers, as a person looks for them.
    std::vector<std::pair<std::string, const std::optional<TimingStats>*>> ordered;
    for (const auto& [name, stats] : entries) ordered.emplace_back(name, &stats);
    std::stable_sort(ordered.begin(), ordered.end(),
                     [](const auto& a, const auto& b) { return number_of(a.first) < number_of(b.first); });
    Value::Map problems;
    for (const auto& [name, stats] : ordered) problems.emplace_back(name, *stats ? timing_value(**stats) : Value());
    levels.emplace_back(fmt::format("level{}", level), std::move(problems));
  }
  return to_pretty_json(Value(std::move(levels)));
}

Result<Baseline> parse_baseline(std::string_view text) {
  AUTOKERNEL_TRY_ASSIGN(const Value value, parse_python_json(text));
  const auto* levels = value.as<Value::Map>();
  if (levels == nullptr) {
    return fail(Code::kInvalid, "not a KernelBench baseline: expected an object by level, found {}", value.kind());
  }
  Baseline baseline;
  for (const auto& [key, entry] : *levels) {
    const auto level = parse_level_folder(key);
    if (!level || entry.is_nil()) continue;
    const auto* problems = entry.as<Value::Map>();
    if (problems == nullptr)
      return fail(Code::kInvalid, "baseline '{}': expected an object by problem, found {}", key, entry.kind());
    for (const auto& [name, stats] : *problems) {
      auto parsed = parse_timing(stats);
      if (!parsed) return tl::unexpected(parsed.error().within(fmt::format("baseline '{}' problem '{}'", key, name)));
      baseline.levels[*level][name] = *std::move(parsed);
    }
  }
  if (baseline.levels.empty()) {
    return fail(Code::kInvalid, "not a KernelBench baseline: it has no entry 'level1', 'level2' or so on");
  }
  return baseline;
}

Baseline baseline_of(std::span<const protocol::Record> records) {
  Baseline baseline;
  for (const auto& record : records) {
    if (record.kind != protocol::JobKind::kBaseline || record.verdict == protocol::Verdict::kInfrastructure) continue;
    baseline.levels[static_cast<int>(record.level)][file_name_of(record.problem)] =
        record.verdict == protocol::Verdict::kTimed ? reference_stats(record) : std::nullopt;
  }
  return baseline;
}

std::vector<ScoredProblem> problems_of(const Baseline& baseline, int level) {
  std::vector<ScoredProblem> problems;
  const auto entries = baseline.levels.find(level);
  if (entries == baseline.levels.end()) return problems;
  for (const auto& [name, stats] : entries->second) {
    if (const auto id = number_of(name)) problems.push_back({level, *id, fmt::format("level{}/{}", level, name)});
  }
  std::sort(problems.begin(), problems.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  return problems;
}

}  // namespace autokernel::kernelbench
