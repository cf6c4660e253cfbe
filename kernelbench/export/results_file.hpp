#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "common/protocol/record.hpp"
#include "common/result/result.hpp"

namespace autokernel::kernelbench {

/// What a verdict is about, within one run.
[[nodiscard]] std::string identity_of(const protocol::Record& record);
[[nodiscard]] std::string identity_of(const std::string& problem, const std::string& candidate);

/// False where the machine failed: the job is tried again, and a later record takes this one's place.
[[nodiscard]] bool is_settled(const protocol::Record& record);

/// What results.jsonl holds: one record for each identity, and what could not be read. Of several the first settled one
/// counts, else the last; it stands where the first of them stood in the file.
struct ResultsFile {
  std::vector<protocol::Record> records;
  std::vector<std::string> defects;  ///< one message for each line that is no record, with its number
  std::uint64_t whole_bytes = 0;     ///< the file up to the end of its last complete line
  bool torn = false;                 ///< there is more behind it: a writer was killed in the middle of a line
};

/// Reads all of it; a missing file is an empty one. A bad line costs that line only. kInvalid: a line of a newer
/// schema, so that an older program never rewrites what it cannot read. kUnavailable: not readable.
[[nodiscard]] Result<ResultsFile> read_results(const std::filesystem::path& path);

/// Cuts a torn tail off, so that the next line does not grow onto it. Call it before appending; does nothing to a whole
/// file.
[[nodiscard]] Result<void> cut_torn_tail(const std::filesystem::path& path, const ResultsFile& results);

/// Adds a record as one line, on the disk before it returns. kExhausted: the disk is full.
[[nodiscard]] Result<void> append_record(const std::filesystem::path& path, const protocol::Record& record);

}  // namespace autokernel::kernelbench
