#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "common/protocol/record.hpp"
#include "common/result/result.hpp"
#include "kernelbench/export/results_file.hpp"

namespace autokernel::client {

using kernelbench::identity_of;

/// results.jsonl: every verdict of a run once, in the order recorded. A record of the machine's failure is none yet: it
/// stays in the file, and the verdict behind it takes its place. One process owns it (the run folder's lock).
class ResultsLog {
 public:
  /// Reads what is there. A last line without its end is what a crash left of a write that was never acknowledged: it
  /// is cut off. Other lines that are no verdicts are passed over and named in defects(). kInvalid: a newer version's
  /// file.
  [[nodiscard]] static Result<ResultsLog> open(const std::filesystem::path& path);

  /// False when there is a verdict on the same already. On disk when it returns. kExhausted: the disk is full.
  [[nodiscard]] Result<bool> append(const protocol::Record& record);

  /// There is a verdict that stays.
  [[nodiscard]] bool holds(const std::string& identity) const;
  /// One for each identity that was tried, as kernelbench::ResultsFile says.
  [[nodiscard]] const std::vector<protocol::Record>& records() const { return records_; }
  /// How many of the records stay: all but the machine's failures.
  [[nodiscard]] std::size_t settled() const;
  [[nodiscard]] const std::vector<std::string>& defects() const { return defects_; }

 private:
  explicit ResultsLog(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
  std::vector<protocol::Record> records_;
  std::vector<std::string> defects_;
  std::map<std::string, std::size_t> places_;  ///< identity → index in records_
};

}  // namespace autokernel::client
