#include "kernelbench/export/results_tsv.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "common/protocol/describe.hpp"

namespace autokernel::kernelbench {
namespace {

using protocol::Record;

constexpr std::array<std::string_view, 10> kColumns{
    "experiment",         "tag",         "kernel_type",  "throughput_tflops", "latency_us", "pct_peak",
    "speedup_vs_pytorch", "correctness", "peak_vram_mb", "description"};

std::string cell(std::string_view text) {
  std::string clean(text);
  std::replace_if(
      clean.begin(), clean.end(), [](char letter) { return letter == '\t' || letter == '\n' || letter == '\r'; }, ' ');
  return clean;
}

std::string cell(const std::optional<double>& number) {
  return number && std::isfinite(*number) ? fmt::format("{:.6g}", *number) : "";
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t start = 0;;) {
    const std::size_t end = text.find(separator, start);
    parts.push_back(text.substr(start, end == std::string_view::npos ? end : end - start));
    if (end == std::string_view::npos) return parts;
    start = end + 1;
  }
}

std::string description_of(const Record& record) {
  const std::string first = record.detail.substr(0, record.detail.find('\n'));
  std::string text(protocol::name_of(record.verdict));
  if (!first.empty()) text += ": " + first;
  return text;
}

std::string kernel_type_of(std::string problem) {
  if (problem.ends_with(".py")) problem.resize(problem.size() - 3);
  return problem;
}

/// Reads one line by the places of its columns.
class Line {
 public:
  Line(const std::array<std::size_t, kColumns.size()>& places, std::string_view line, std::size_t number)
      : places_(places), cells_(split(line, '\t')), number_(number) {}

  [[nodiscard]] Result<std::string> text(std::size_t column) const {
    if (places_[column] >= cells_.size()) {
      return fail(Code::kInvalid, "results.tsv line {}: no cell for '{}'", number_, kColumns[column]);
    }
    return std::string(cells_[places_[column]]);
  }

  [[nodiscard]] Result<std::optional<double>> number(std::size_t column) const {
    AUTOKERNEL_TRY_ASSIGN(const std::string text, this->text(column));
    if (text.empty()) return std::nullopt;
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) {
      return fail(Code::kInvalid, "results.tsv line {}: '{}' is no number for '{}'", number_, text.substr(0, 40),
                  kColumns[column]);
    }
    return value;
  }

 private:
  const std::array<std::size_t, kColumns.size()>& places_;
  std::vector<std::string_view> cells_;
  std::size_t number_;
};

Result<TsvRow> parse_line(const Line& line) {
  TsvRow row;
  AUTOKERNEL_TRY_ASSIGN(const auto experiment, line.number(0));
  row.experiment = static_cast<std::int64_t>(std::llround(std::clamp(experiment.value_or(0), -1e15, 1e15)));
  AUTOKERNEL_TRY_ASSIGN(row.tag, line.text(1));
  AUTOKERNEL_TRY_ASSIGN(row.kernel_type, line.text(2));
  AUTOKERNEL_TRY_ASSIGN(row.throughput_tflops, line.number(3));
  AUTOKERNEL_TRY_ASSIGN(row.latency_us, line.number(4));
  AUTOKERNEL_TRY_ASSIGN(row.pct_peak, line.number(5));
  AUTOKERNEL_TRY_ASSIGN(row.speedup_vs_pytorch, line.number(6));
  AUTOKERNEL_TRY_ASSIGN(row.correctness, line.text(7));
  AUTOKERNEL_TRY_ASSIGN(row.peak_vram_mb, line.number(8));
  AUTOKERNEL_TRY_ASSIGN(row.description, line.text(9));
  return row;
}

}  // namespace

std::vector<TsvRow> tsv_rows(std::span<const Record> records) {
  std::vector<TsvRow> rows;
  for (const Record& record : records) {
    if (record.kind != protocol::JobKind::kEvaluate) continue;
    TsvRow row;
    row.experiment = static_cast<std::int64_t>(rows.size()) + 1;
    row.tag = record.candidate;
    row.kernel_type = kernel_type_of(record.problem);
    if (record.roofline) row.pct_peak = record.roofline->percent_of_peak;
    if (record.timing && record.timing->candidate_us) row.latency_us = record.timing->candidate_us->median;
    if (record.timing && record.timing->speedup) row.speedup_vs_pytorch = record.timing->speedup->median;
    row.correctness = protocol::counts_as_correct(record.verdict) ? "PASS" : "FAIL";
    row.peak_vram_mb = record.peak_memory_mb;
    row.description = description_of(record);
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string tsv_text(std::span<const TsvRow> rows) {
  std::string text = fmt::format("{}\n", fmt::join(kColumns, "\t"));
  for (const TsvRow& row : rows) {
    text +=
        fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\n", row.experiment, cell(row.tag), cell(row.kernel_type),
                    cell(row.throughput_tflops), cell(row.latency_us), cell(row.pct_peak), cell(row.speedup_vs_pytorch),
                    cell(row.correctness), cell(row.peak_vram_mb), cell(row.description));
  }
  return text;
}

Result<std::vector<TsvRow>> parse_tsv(std::string_view text) {
  auto lines = split(text, '\n');
  for (std::string_view& line : lines) {
    if (line.ends_with('\r')) line.remove_suffix(1);
  }
  const auto header = split(lines.front(), '\t');
  std::array<std::size_t, kColumns.size()> places{};
  for (std::size_t column = 0; column < kColumns.size(); ++column) {
    const auto found = std::find(header.begin(), header.end(), kColumns[column]);
    if (found == header.end())
      return fail(Code::kInvalid, "results.tsv: the header has no column '{}'", kColumns[column]);
    places[column] = static_cast<std::size_t>(found - header.begin());
  }
  std::vector<TsvRow> rows;
  for (std::size_t index = 1; index < lines.size(); ++index) {
    if (lines[index].empty()) continue;
    AUTOKERNEL_TRY_ASSIGN(auto row, parse_line(Line(places, lines[index], index + 1)));
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace autokernel::kernelbench
