#include "client/progress/verdict_block.hpp"

#include <fmt/format.h>

#include "common/protocol/describe.hpp"
#include "common/text/printable.hpp"

namespace autokernel::client {
namespace {

using text::printable;

std::string indented(const std::string& text, std::string_view margin) {
  std::string result;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const auto end = text.find('\n', begin);
    const std::string line = text.substr(begin, end == std::string::npos ? end : end - begin);
    if (!line.empty()) result += fmt::format("{}{}\n", margin, line);
    if (end == std::string::npos) break;
    begin = end + 1;
  }
  return result;
}

std::string times_line(std::string_view name, const protocol::SampleSummary& summary) {
  return fmt::format("  {:<12} median {}, mean {}, std {}, {} to {} ({} samples)\n", name,
                     call_time_text(summary.median), call_time_text(summary.mean), call_time_text(summary.std),
                     call_time_text(summary.min), call_time_text(summary.max), summary.samples);
}

/// A reader divides the two medians above, and gets something else.
std::string ratio_note(const protocol::TimingReport& timing) {
  if (!timing.candidate_us || !(timing.candidate_us->median > 0)) return "";
  const auto shown = [](double ratio) { return fmt::format("{:.2f}", ratio); };
  const std::string quotient = shown(timing.reference_us.median / timing.candidate_us->median);
  if (quotient == shown(timing.speedup->median)) return "";
  return fmt::format(
      "  {:<12} the median over pairs of blocks timed side by side; the two medians above divide to {}x\n", "",
      quotient);
}

}  // namespace

std::string stage_line(const protocol::StageReport& stage, const Paint& paint) {
  const std::string outcome = fmt::format("{:<12}", protocol::name_of(stage.outcome));
  std::string painted = outcome;
  switch (stage.outcome) {
    case protocol::StageOutcome::kPassed: painted = paint.good(outcome); break;
    case protocol::StageOutcome::kFailed: painted = paint.bad(outcome); break;
    case protocol::StageOutcome::kSkipped: painted = paint.odd(outcome); break;
    case protocol::StageOutcome::kNotReached: painted = paint.dim(outcome); break;
  }
  std::string line = fmt::format("  {:<12} {}", protocol::name_of(stage.name), painted);
  if (stage.outcome != protocol::StageOutcome::kNotReached) line += fmt::format(" {:>7.2f} s", stage.seconds);
  if (!stage.detail.empty()) line += "  " + printable(stage.detail.substr(0, stage.detail.find('\n')));
  return line;
}

std::string verdict_block(const protocol::Record& record, const Paint& paint, bool with_stages) {
  std::string text = fmt::format("{} on {}: {}\n", paint.bold(printable(record.candidate)), printable(record.problem),
                                 paint.verdict(record));
  if (with_stages) {
    for (const protocol::StageReport& stage : record.stages) text += stage_line(stage, paint) + "\n";
  }
  if (record.trials > 0) {
    text += fmt::format("  trials       {} of {} passed", record.trials_passed, record.trials);
    if (record.max_difference) text += fmt::format(", largest difference {:.3g}", *record.max_difference);
    if (record.rule != "allclose") text += fmt::format(", decided by {}", printable(record.rule));
    text += "\n";
  }
  if (record.timing) {
    if (record.timing->candidate_us) text += times_line("candidate", *record.timing->candidate_us);
    text += times_line("reference", record.timing->reference_us);
    if (record.timing->speedup) {
      text += fmt::format("  {:<12} {} at {:.0f}% confidence\n", "speedup", paint.bold(speedup_text(record)),
                          record.timing->speedup->confidence * 100);
      text += ratio_note(*record.timing);
    }
  }
  if (!record.vacuous.empty()) {
    text += fmt::format("  {:<12} this problem's check would also pass: {}\n", "note",
                        printable(fmt::format("{}", fmt::join(record.vacuous, ", "))));
  }
  if (record.kernels) {
    const auto custom = record.kernels->find("custom");
    if (custom != record.kernels->end() && custom->second.empty()) {
      text += fmt::format("  {:<12} only the framework's own kernels were launched\n", "note");
    }
  }
  if (record.options.batch && !record.batch_overridden) {
    text += fmt::format("  {:<12} --batch changed nothing: the problem has no batch_size of its own\n", "note");
  }
  if (record.batch_overridden && record.options.batch) {
    text += fmt::format("  {:<12} the batch was set to {}\n", "note", *record.options.batch);
  }
  if (const auto device = record.environment.find("device"); device != record.environment.end()) {
    text += fmt::format("  {:<12} {}\n", "device", printable(device->second));
  }
  if (!record.detail.empty()) text += indented(printable(record.detail), "  ");
  return text;
}

}  // namespace autokernel::client
