#include "kernelbench/export/sheet_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "common/text/printable.hpp"
#include "kernelbench/export/error_name.hpp"

namespace autokernel::kernelbench {
namespace {

constexpr std::size_t kWidth = 100;
/// A list longer than this is cut: scores.json has all of it.
constexpr std::size_t kLongestList = 12;

std::string level_name(const LevelSheet& sheet) { return sheet.level == 0 ? "all" : std::to_string(sheet.level); }

std::string share(std::size_t part, std::size_t whole) {
  return whole == 0 ? "-" : fmt::format("{:.3f}", static_cast<double>(part) / static_cast<double>(whole));
}

std::string row(const std::string& level, std::string_view name, const ScoreLine& line) {
  std::string text = fmt::format("{:>5}  {:<14}{:>9}", level, name, fmt::format("{}/{}", line.accepted, line.scored));
  for (const FastP& fast : line.fast) {
    text += fmt::format("{:>7}", line.speed_known() ? share(fast.count, line.scored) : "-");
  }
  return text + fmt::format("{:>9}", line.geomean ? fmt::format("{:.3f}x", line.geomean->value) : "-");
}

/// Of what nobody looked for: 0 would be an answer.
std::string row_not_asked(std::string_view name, std::size_t thresholds) {
  std::string text = fmt::format("{:>5}  {:<14}{:>9}", "", name, "-");
  for (std::size_t column = 0; column < thresholds; ++column) text += fmt::format("{:>7}", "-");
  return text + fmt::format("{:>9}", "-");
}

/// Cuts at blanks so that no line is wider than the sheet; later lines are indented.
std::string wrapped(const std::string& text) {
  std::string result;
  std::size_t column = 0;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find(' ', start), text.size());
    const std::size_t length = end - start;
    if (column > 0 && column + 1 + length > kWidth) {
      result += "\n  ";
      column = 2;
    } else if (column > 0) {
      result += ' ';
      ++column;
    }
    result.append(text, start, length);
    column += length;
    start = end + 1;
  }
  return result + "\n";
}

template <class Item, class Show>
std::string listed(std::string_view title, const std::vector<Item>& items, Show show) {
  if (items.empty()) return "";
  std::string text = fmt::format("{} ({}):", title, items.size());
  for (std::size_t index = 0; index < std::min(items.size(), kLongestList); ++index) {
    text += (index == 0 ? " " : ", ") + show(items[index]);
  }
  if (items.size() > kLongestList) text += fmt::format(", and {} more in scores.json", items.size() - kLongestList);
  return wrapped(text);
}

std::string with_text(const Remark& remark) {
  const std::string first = cut_at_word(remark.text.substr(0, remark.text.find('\n')), 120);
  return text::printable(first.empty() ? remark.problem : fmt::format("{} ({})", remark.problem, first));
}

std::string table(const ScoreSheet& sheet, bool colour) {
  std::string header = fmt::format("{:>5}  {:<14}{:>9}", "level", "score", "passed");
  for (const FastP& fast : sheet.overall.by_correct.fast) header += fmt::format("{:>7}", fmt::format("f_{}", fast.p));
  header += fmt::format("{:>9}", "geomean");
  std::string text = colour ? fmt::format("\033[1m{}\033[0m\n", header) : header + "\n";
  const auto add = [&](const LevelSheet& level) {
    const std::string name = level_name(level);
    text += row(name, "correct", level.by_correct) + "\n";
    if (sheet.robust_known) text += row("", "robust", level.by_robust) + "\n";
    if (!sheet.robust_asked) text += row_not_asked("robust", level.by_correct.fast.size()) + "\n";
    text += row("", "KernelBench's", level.kernelbench) + "\n";
    if (level.best_correct) {
      text += row("", fmt::format("best of {}", level.most_samples), *level.best_correct) + "\n";
      if (sheet.robust_known && level.best_robust) text += row("", "  and robust", *level.best_robust) + "\n";
    }
  };
  for (const LevelSheet& level : sheet.levels) add(level);
  if (sheet.levels.size() > 1) add(sheet.overall);
  return text;
}

std::string certainty(const ScoreLine& line) {
  if (!line.speed_known()) return "Nothing was timed, so fast_p is not known.\n";
  for (const FastP& fast : line.fast) {
    if (fast.p != 1 || fast.sure == fast.possible) continue;
    return wrapped(fmt::format("fast_1 (f_1) of correct ones lies between {} and {} by the intervals of the speedups.",
                               share(fast.sure, line.scored), share(fast.possible, line.scored)));
  }
  return "";
}

std::string pass_rates(const LevelSheet& sheet, bool robust_known) {
  if (sheet.most_samples < 2) return "";
  const auto list = [](std::string_view name, const std::vector<PassAtK>& entries) {
    std::string text(name);
    for (const PassAtK& entry : entries) text += fmt::format("  pass@{} {:.3f}", entry.k, entry.value);
    return text + "\n";
  };
  std::string text = list("correct:", sheet.pass_correct);
  if (robust_known) text += list("robust: ", sheet.pass_robust);
  return text;
}

std::string verdicts(const LevelSheet& sheet) {
  std::vector<std::pair<std::size_t, std::string>> ordered;
  for (const auto& [name, number] : sheet.verdicts) ordered.emplace_back(number, name);
  std::stable_sort(ordered.begin(), ordered.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string text = "Verdicts:";
  for (const auto& [number, name] : ordered)
    text += fmt::format("{} {} {}", text.size() > 9 ? "," : "", number, text::printable(name));
  if (ordered.empty()) text += " none yet";
  return wrapped(text);
}

}  // namespace

std::string sheet_text(const ScoreSheet& sheet, bool colour) {
  const LevelSheet& all = sheet.overall;
  const auto plain = [](const std::string& name) { return text::printable(name); };
  std::string text = table(sheet, colour) + "\n";
  text += fmt::format("{} problem{}, {} evaluated, {} compiled, {} correct", all.problems, all.problems == 1 ? "" : "s",
                      all.evaluated, all.compiled, all.correct);
  text += sheet.robust_known ? fmt::format(", {} robust\n", all.robust) : "\n";
  if (!sheet.robust_asked) text += "Whether they are robust was not asked for (--stages correct).\n";
  text += certainty(all.by_correct) + pass_rates(all, sheet.robust_known) + verdicts(all);
  if (all.by_float64 > 0) {
    text += fmt::format("Passed by the float64 rule, not by allclose: {}\n", all.by_float64);
  }
  text += listed("Problems that trivial answers pass", all.vacuous, with_text);
  text += listed("Problems whose reference fails here, counted as missing", all.problem_errors, with_text);
  text +=
      listed("Never judged, for the machine's fault; the same sweep tries them again", all.infrastructure, with_text);
  text += listed("Without a baseline, left out of KernelBench's score", all.no_baseline, plain);
  text += listed("Correct but not timed, so in no fast_p", all.untimed, plain);
  text += listed("No sample 0, counted as failed", all.missing, plain);
  if (sheet.strays > 0) text += fmt::format("Outcomes of problems outside this set, not scored: {}\n", sheet.strays);
  return text;
}

}  // namespace autokernel::kernelbench
