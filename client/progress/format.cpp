#include "client/progress/format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "common/protocol/describe.hpp"
#include "common/text/printable.hpp"

namespace autokernel::client {

std::string Paint::wrap(std::string_view text, std::string_view code) const {
  return colours_ ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
}

std::string verdict_text(const protocol::Record& record) {
  const std::string name(protocol::name_of(record.verdict));
  return record.cheating_kind.empty() ? name : fmt::format("{}({})", name, text::printable(record.cheating_kind));
}

std::string Paint::verdict(const protocol::Record& record) const {
  const std::string text = verdict_text(record);
  switch (record.verdict) {
    case protocol::Verdict::kRobust:
    case protocol::Verdict::kCorrect:
    case protocol::Verdict::kTimed: return good(text);
    case protocol::Verdict::kInfrastructure:
    case protocol::Verdict::kProblemError: return odd(text);
    default: return protocol::counts_as_correct(record.verdict) ? odd(text) : bad(text);
  }
}

std::string speedup_text(const protocol::Record& record) {
  if (!record.timing || !record.timing->speedup) return {};
  const protocol::SpeedupInterval& speedup = *record.timing->speedup;
  const auto number = [](double value) { return fmt::format("{:.{}f}", value, value < 10 ? 2 : value < 100 ? 1 : 0); };
  return fmt::format("{}x [{}, {}]", number(speedup.median), number(speedup.low), number(speedup.high));
}

std::string verdict_line(const protocol::Record& record, const Paint& paint) {
  std::string line = text::printable(record.problem);
  if (record.kind == protocol::JobKind::kEvaluate && !record.candidate.empty()) {
    line += fmt::format(" sample {}", record.sample);
  }
  line += fmt::format(" {}", paint.verdict(record));
  const std::string speedup = speedup_text(record);
  if (!speedup.empty()) line += fmt::format(" {}", speedup);
  if (record.kind == protocol::JobKind::kBaseline && record.timing) {
    line += fmt::format(" {}", call_time_text(record.timing->reference_us.median));
  }
  const std::string detail = record.detail.substr(0, record.detail.find('\n'));
  const bool accepted = record.verdict == protocol::Verdict::kRobust || record.verdict == protocol::Verdict::kTimed;
  if (!accepted && !detail.empty()) line += paint.dim(" " + text::printable(detail));
  return line;
}

std::string call_time_text(double microseconds) {
  if (microseconds < 1e3) return fmt::format("{:.3g} us", microseconds);
  if (microseconds < 1e6) return fmt::format("{:.3g} ms", microseconds / 1e3);
  return fmt::format("{:.3g} s", microseconds / 1e6);
}

std::string duration_text(std::chrono::seconds duration) {
  const auto total = duration.count();
  if (total >= 3600) return fmt::format("{} h {:02} min", total / 3600, total / 60 % 60);
  if (total >= 60) return fmt::format("{} min {:02} s", total / 60, total % 60);
  return fmt::format("{} s", total);
}

std::string counts_text(const std::map<std::string, std::size_t>& verdicts) {
  std::vector<std::pair<std::string, std::size_t>> sorted(verdicts.begin(), verdicts.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text;
  for (const auto& [name, count] : sorted) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, count);
  return text;
}

std::string bar_text(const ProgressState& state, std::size_t width) {
  constexpr std::size_t kCells = 20;
  const double share = state.total == 0 ? 1 : static_cast<double>(state.done) / static_cast<double>(state.total);
  const auto filled = static_cast<std::size_t>(std::floor(share * kCells));
  std::string text =
      fmt::format("[{}{}] {}/{}", std::string(filled, '#'), std::string(kCells - filled, '-'), state.done, state.total);
  const auto seconds = static_cast<double>(state.elapsed.count());
  if (state.fresh > 0 && seconds > 0) {
    const double rate = static_cast<double>(state.fresh) / seconds;
    text += rate >= 1 ? fmt::format("  {:.1f}/s", rate) : fmt::format("  {:.1f}/min", rate * 60);
    const double left = static_cast<double>(state.total - state.done) / rate;
    text += fmt::format("  {} left", duration_text(std::chrono::seconds(std::llround(left))));
  }
  if (!state.verdicts.empty()) text += fmt::format("  {}", counts_text(state.verdicts));
  if (text.size() > width) text.resize(width);
  return text;
}

}  // namespace autokernel::client
