#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/protocol/record.hpp"
#include "common/result/result.hpp"

namespace autokernel::kernelbench {

/// A line of AutoKernel's results.tsv. A number that is not known is an empty cell.
struct TsvRow {
  std::int64_t experiment = 0;
  std::string tag;          ///< the candidate
  std::string kernel_type;  ///< the problem, without .py
  std::optional<double> throughput_tflops;
  std::optional<double> latency_us;
  std::optional<double> pct_peak;
  std::optional<double> speedup_vs_pytorch;
  std::string correctness;  ///< "PASS" or "FAIL"
  std::optional<double> peak_vram_mb;
  std::string description;  ///< the verdict, and the first line of its detail
  bool operator==(const TsvRow&) const = default;
};

/// One row for each evaluated candidate, in order, numbered from 1.
[[nodiscard]] std::vector<TsvRow> tsv_rows(std::span<const protocol::Record> records);

/// With a header line. Tabs and newlines inside a text become blanks.
[[nodiscard]] std::string tsv_text(std::span<const TsvRow> rows);

/// Columns are found by the header's names, in any order. kInvalid: a column is missing, or a line has too few cells or
/// no number where one belongs (names the line).
[[nodiscard]] Result<std::vector<TsvRow>> parse_tsv(std::string_view text);

}  // namespace autokernel::kernelbench
