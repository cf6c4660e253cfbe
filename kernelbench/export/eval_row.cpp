#include <cmath>

#include "common/protocol/describe.hpp"
#include "kernelbench/export/error_name.hpp"
#include "kernelbench/export/eval_results.hpp"
#include "kernelbench/export/hardware.hpp"

namespace autokernel::kernelbench {
namespace {

using protocol::Record;
using protocol::Value;
using protocol::Verdict;

/// KernelBench cuts what a candidate's forward raised to this many characters.
constexpr std::size_t kErrorLength = 200;

std::string trials_text(const Record& record) { return fmt::format("({} / {})", record.trials_passed, record.trials); }

std::string timing_failure(const Record& record) {
  for (const auto& stage : record.stages) {
    if (stage.name == protocol::StageName::kTiming && stage.outcome == protocol::StageOutcome::kFailed)
      return stage.detail;
  }
  return "";
}

class Metadata {
 public:
  explicit Metadata(const Record& record) : record_(record) {
    put("hardware", hardware_of(record));
    put("device", torch_device_of(record));
  }

  Value::Map take() {
    describe();
    put("autokernel_verdict", std::string(protocol::name_of(record_.verdict)));
    return std::move(map_);
  }

 private:
  void put(std::string key, Value value) { map_.emplace_back(std::move(key), std::move(value)); }

  void describe() {
    switch (record_.verdict) {
      case Verdict::kCompileError:
      case Verdict::kLoadError: return refused_at_load();
      case Verdict::kRuntimeError: return failed_at_run_time(error_name_in(record_.detail, "RuntimeError"));
      case Verdict::kOutOfMemory: return failed_at_run_time("OutOfMemoryError");
      case Verdict::kWrongStructure:
        put("correctness_issue", record_.detail);
        return put("correctness_issue_name", "correctness_issue");
      case Verdict::kWrongOutput: return mismatched();
      case Verdict::kTimeout: return put("error", "Evaluation timed out");
      case Verdict::kCrashed: return put("error", record_.detail);
      case Verdict::kImplausible: put("excessive_speedup", true); [[fallthrough]];
      case Verdict::kCheating:
      case Verdict::kNoCustomKernel:
        put("other_error_name", std::string(protocol::name_of(record_.verdict)));
        return put("other_error", record_.detail);
      default: return passed();
    }
  }

  void refused_at_load() {
    const bool compiling = record_.verdict == Verdict::kCompileError;
    put("compilation_error_name", error_name_in(record_.detail, compiling ? "CompilationError" : "ImportError"));
    put("compilation_error", record_.detail);
  }

  void failed_at_run_time(std::string name) {
    put("runtime_error_name", std::move(name));
    put("runtime_error", cut_text(record_.detail, kErrorLength));
    put("runtime_error_traceback", record_.detail);
  }

  void mismatched() {
    const auto listed = [](const std::optional<double>& difference) {
      Value::Array list;
      if (difference) list.emplace_back(fmt::format("{:.6f}", *difference));
      return Value(std::move(list));
    };
    put("max_difference", listed(record_.max_difference));
    put("avg_difference", listed(record_.mean_difference));
    put("correctness_issue", "Output mismatch");
    put("correctness_trials", trials_text(record_));
  }

  void passed() {
    put("correctness_trials", trials_text(record_));
    if (const std::string failure = timing_failure(record_); !failure.empty()) put("error_during_performance", failure);
  }

  const Record& record_;
  Value::Map map_;
};

std::optional<TimingStats> stats_of(const Record& record) {
  if (!record.timing || !record.timing->candidate_us) return std::nullopt;
  const auto& summary = *record.timing->candidate_us;
  const auto milliseconds = [](double microseconds) { return three_digits(microseconds / 1000); };
  if (!std::isfinite(summary.mean) || summary.mean <= 0) return std::nullopt;
  return TimingStats{milliseconds(summary.mean), milliseconds(summary.std), milliseconds(summary.min),
                     milliseconds(summary.max),  summary.samples,           hardware_of(record),
                     torch_device_of(record)};
}

}  // namespace

std::optional<EvalRow> eval_row_of(const Record& record) {
  if (record.kind != protocol::JobKind::kEvaluate || counts_as_missing(record.verdict)) return std::nullopt;
  EvalRow row;
  row.sample_id = static_cast<int>(record.sample);
  row.compiled = counts_as_compiled(record);
  row.correctness = protocol::counts_as_correct(record.verdict);
  row.metadata = Metadata(record).take();
  // KernelBench times correct candidates only; a time beside `correctness: false` would look like a score.
  if (row.correctness) row.stats = stats_of(record);
  if (row.stats) row.runtime = row.stats->mean;
  return row;
}

}  // namespace autokernel::kernelbench
