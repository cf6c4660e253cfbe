#include "kernelbench/export/scores_json.hpp"

#include <fmt/format.h>

#include <cmath>

namespace autokernel::kernelbench {
namespace {

using protocol::Value;

Value count(std::size_t number) { return Value(static_cast<std::int64_t>(number)); }

Value share(std::size_t part, std::size_t whole) {
  return whole == 0 ? Value() : Value(static_cast<double>(part) / static_cast<double>(whole));
}

/// "1.0" and "0.5", as KernelBench's own analysis keys them.
std::string threshold(double p) { return std::floor(p) == p ? fmt::format("{:.1f}", p) : fmt::format("{}", p); }

Value line_value(const ScoreLine& line) {
  Value::Map fast;
  for (const FastP& entry : line.fast) {
    if (!line.speed_known()) {
      fast.emplace_back(threshold(entry.p), Value());
      continue;
    }
    fast.emplace_back(threshold(entry.p), Value(Value::Map{{"value", share(entry.count, line.scored)},
                                                           {"sure", share(entry.sure, line.scored)},
                                                           {"possible", share(entry.possible, line.scored)},
                                                           {"count", count(entry.count)}}));
  }
  Value geomean;
  if (line.geomean) {
    geomean = Value(Value::Map{{"value", line.geomean->value},
                               {"low", line.geomean->low},
                               {"high", line.geomean->high},
                               {"over", count(line.geomean->over)}});
  }
  return Value(Value::Map{{"scored", count(line.scored)},
                          {"accepted", count(line.accepted)},
                          {"timed", count(line.timed)},
                          {"fast_p", std::move(fast)},
                          {"geomean", std::move(geomean)}});
}

Value line_value(const std::optional<ScoreLine>& line) { return line ? line_value(*line) : Value(); }

Value pass_value(const std::vector<PassAtK>& entries) {
  Value::Map map;
  for (const PassAtK& entry : entries) {
    map.emplace_back(std::to_string(entry.k),
                     Value(Value::Map{{"value", entry.value}, {"short_of_k", count(entry.short_of_k)}}));
  }
  return Value(std::move(map));
}

Value names(const std::vector<std::string>& list) {
  Value::Array array;
  for (const std::string& name : list) array.emplace_back(name);
  return Value(std::move(array));
}

Value remarks(const std::vector<Remark>& list, const char* key) {
  Value::Array array;
  for (const Remark& remark : list) array.emplace_back(Value::Map{{"problem", remark.problem}, {key, remark.text}});
  return Value(std::move(array));
}

Value level_value(const LevelSheet& sheet, bool robust_known) {
  Value::Map verdicts;
  for (const auto& [name, number] : sheet.verdicts) verdicts.emplace_back(name, count(number));
  const auto if_robust = [&](Value value) { return robust_known ? std::move(value) : Value(); };
  return Value(Value::Map{{"level", sheet.level == 0 ? Value() : Value(sheet.level)},
                          {"problems", count(sheet.problems)},
                          {"evaluated", count(sheet.evaluated)},
                          {"compiled", count(sheet.compiled)},
                          {"compile_rate", share(sheet.compiled, sheet.problems)},
                          {"correct", count(sheet.correct)},
                          {"correct_rate", share(sheet.correct, sheet.problems)},
                          {"robust", if_robust(count(sheet.robust))},
                          {"robust_rate", if_robust(share(sheet.robust, sheet.problems))},
                          {"score", Value(Value::Map{{"correct", line_value(sheet.by_correct)},
                                                     {"robust", if_robust(line_value(sheet.by_robust))},
                                                     {"kernelbench", line_value(sheet.kernelbench)}})},
                          {"samples", count(sheet.most_samples)},
                          {"best_of_samples", Value(Value::Map{{"correct", line_value(sheet.best_correct)},
                                                               {"robust", if_robust(line_value(sheet.best_robust))}})},
                          {"pass_at_k", Value(Value::Map{{"correct", pass_value(sheet.pass_correct)},
                                                         {"robust", if_robust(pass_value(sheet.pass_robust))}})},
                          {"verdicts", Value(std::move(verdicts))},
                          {"decided_by_float64", count(sheet.by_float64)},
                          {"vacuous", remarks(sheet.vacuous, "trivial_answers")},
                          {"problem_errors", remarks(sheet.problem_errors, "detail")},
                          {"infrastructure", remarks(sheet.infrastructure, "detail")},
                          {"no_baseline", names(sheet.no_baseline)},
                          {"untimed", names(sheet.untimed)},
                          {"missing", names(sheet.missing)}});
}

}  // namespace

Value scores_value(const ScoreSheet& sheet) {
  Value::Array levels;
  for (const LevelSheet& level : sheet.levels) levels.push_back(level_value(level, sheet.robust_known));
  return Value(Value::Map{{"schema", 1},
                          {"levels", Value(std::move(levels))},
                          {"overall", level_value(sheet.overall, sheet.robust_known)},
                          {"strays", count(sheet.strays)}});
}

}  // namespace autokernel::kernelbench
