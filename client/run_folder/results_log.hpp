#pragma once

#include <cstddef>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "common/protocol/record.hpp"
#include "common/result/result.hpp"

namespace autokernel::client {

/// What a verdict is about, within one run: no two records of a run share it.
[[nodiscard]] std::string identity_of(const protocol::Record& record);
[[nodiscard]] std::string identity_of(const std::string& problem, const std::string& candidate);

/// results.jsonl: every verdict of a run once, in the order recorded. One process owns it (the run folder's lock).
class ResultsLog {
 public:
  /// Reads what is there. A last line without its end is what a crash left of a write that was never acknowledged: it
  /// is cut off. Other lines that are no verdicts are passed over and named in defects(). kInvalid: a newer version's
  /// file.
  [[nodiscard]] static Result<ResultsLog> open(const std::filesystem::path& path);

  /// False when there is a verdict on the same already. On disk when it returns. kExhausted: the disk is full.
  [[nodiscard]] Result<bool> append(const protocol::Record& record);

  [[nodiscard]] bool holds(const std::string& identity) const { return identities_.count(identity) != 0; }
  [[nodiscard]] const std::vector<protocol::Record>& records() const { return records_; }
  [[nodiscard]] const std::vector<std::string>& defects() const { return defects_; }

 private:
  explicit ResultsLog(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
  std::vector<protocol::Record> records_;
  std::vector<std::string> defects_;
  std::set<std::string> identities_;
};

}  // namespace autokernel::client
