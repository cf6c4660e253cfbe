#include "kernelbench/export/eval_results.hpp"

#include <algorithm>
#include <charconv>

#include "common/protocol/describe.hpp"
#include "kernelbench/export/error_name.hpp"
#include "kernelbench/export/json.hpp"
#include "kernelbench/export/timing_json.hpp"

namespace autokernel::kernelbench {
namespace {

using protocol::Value;

Value row_value(const EvalRow& row) {
  return Value(Value::Map{{"sample_id", row.sample_id},
                          {"compiled", row.compiled},
                          {"correctness", row.correctness},
                          {"metadata", row.metadata},
                          {"runtime", row.runtime},
                          {"runtime_stats", row.stats ? timing_value(*row.stats) : Value(Value::Map{})}});
}

/// null says nothing, which is the type's empty value: false, 0.
template <class T>
Result<T> required(const Value& row, std::string_view key) {
  const Value* entry = row.find(key);
  if (entry == nullptr) return fail(Code::kInvalid, "field '{}' is missing", key);
  if (entry->is_nil()) return T{};
  auto parsed = protocol::from_value<T>(*entry);
  if (!parsed) return tl::unexpected(parsed.error().within(fmt::format("field '{}'", key)));
  return parsed;
}

Result<EvalRow> parse_row(const Value& value) {
  EvalRow row;
  AUTOKERNEL_TRY_ASSIGN(row.compiled, required<bool>(value, "compiled"));
  AUTOKERNEL_TRY_ASSIGN(row.correctness, required<bool>(value, "correctness"));
  if (value.find("sample_id") != nullptr) {
    AUTOKERNEL_TRY_ASSIGN(row.sample_id, required<int>(value, "sample_id"));
  }
  if (const Value* runtime = value.find("runtime"); runtime != nullptr && !runtime->is_nil()) {
    AUTOKERNEL_TRY_ASSIGN(row.runtime, required<double>(value, "runtime"));
  }
  if (const Value* metadata = value.find("metadata"); metadata != nullptr && metadata->as<Value::Map>() != nullptr) {
    row.metadata = *metadata->as<Value::Map>();
  }
  if (const Value* stats = value.find("runtime_stats")) {
    AUTOKERNEL_TRY_ASSIGN(row.stats, parse_timing(*stats));
  }
  return row;
}

Result<int> parse_key(const std::string& key) {
  int id = 0;
  const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), id);
  if (error != std::errc() || end != key.data() + key.size()) {
    return fail(Code::kInvalid, "key '{}' is no problem number", cut_text(key, 40));
  }
  return id;
}

std::string verdict_of(const EvalRow& row) {
  for (const auto& [key, value] : row.metadata) {
    if (const auto* text = value.as<std::string>(); key == "autokernel_verdict" && text != nullptr) return *text;
  }
  if (row.correctness) return "correct";
  return row.compiled ? "incorrect" : "not_compiled";
}

}  // namespace

std::string eval_results_file_name(int level, bool only_level) {
  return only_level ? "eval_results.json" : fmt::format("eval_results_level{}.json", level);
}

EvalResults eval_results_of(std::span<const protocol::Record> records, int level) {
  EvalResults results;
  for (const auto& record : records) {
    if (record.level != level) continue;
    auto row = eval_row_of(record);
    if (!row) continue;
    auto& rows = results[static_cast<int>(record.problem_id)];
    std::erase_if(rows, [&](const EvalRow& earlier) { return earlier.sample_id == row->sample_id; });
    rows.push_back(*std::move(row));
  }
  for (auto& [id, rows] : results) {
    std::sort(rows.begin(), rows.end(), [](const EvalRow& a, const EvalRow& b) { return a.sample_id < b.sample_id; });
  }
  return results;
}

std::string eval_results_text(const EvalResults& results) {
  Value::Map problems;
  for (const auto& [id, rows] : results) {
    Value::Array list;
    for (const EvalRow& row : rows) list.push_back(row_value(row));
    problems.emplace_back(std::to_string(id), std::move(list));
  }
  return to_pretty_json(Value(std::move(problems)));
}

Result<EvalResults> parse_eval_results(std::string_view text) {
  AUTOKERNEL_TRY_ASSIGN(const Value value,
                        parse_python_json(text, protocol::Limits{std::size_t{256} << 20U, 24, 20'000'000}));
  const auto* problems = value.as<Value::Map>();
  if (problems == nullptr) {
    return fail(Code::kInvalid, "not KernelBench's eval_results.json: expected an object by problem number, found {}",
                value.kind());
  }
  EvalResults results;
  for (const auto& [key, entry] : *problems) {
    AUTOKERNEL_TRY_ASSIGN(const int id, parse_key(key));
    Value::Array rows;
    if (const auto* list = entry.as<Value::Array>()) {
      rows = *list;
    } else {
      rows.push_back(entry);
    }
    for (const Value& item : rows) {
      if (item.is_nil()) continue;
      auto row = parse_row(item);
      if (!row) return tl::unexpected(row.error().within(fmt::format("problem {}", id)));
      results[id].push_back(*std::move(row));
    }
  }
  return results;
}

std::vector<Outcome> outcomes_of(const EvalResults& results, int level, std::span<const ScoredProblem> problems,
                                 const Baseline& baseline) {
  std::vector<Outcome> outcomes;
  for (const auto& [id, rows] : results) {
    const auto problem = std::find_if(problems.begin(), problems.end(), [&, number = id](const ScoredProblem& known) {
      return known.level == level && known.id == number;
    });
    const TimingStats* stats = problem == problems.end() ? nullptr : baseline.find(level, problem->name);
    for (const EvalRow& row : rows) {
      Outcome outcome;
      outcome.level = level;
      outcome.problem_id = id;
      outcome.sample = row.sample_id;
      outcome.verdict = verdict_of(row);
      outcome.compiled = row.compiled;
      outcome.correct = row.correctness;
      outcome.robust = outcome.verdict == "robust";
      if (stats != nullptr) outcome.means = ratio_of_means(stats->mean, row.runtime);
      outcomes.push_back(std::move(outcome));
    }
  }
  return outcomes;
}

}  // namespace autokernel::kernelbench
