#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "common/protocol/options.hpp"
#include "common/result/result.hpp"

namespace autokernel::client {

/// What a run was started with: run.toml. Two descriptions without differences ask for the same verdicts.
struct RunDescription {
  static constexpr std::int64_t kSchema = 1;

  std::int64_t schema = kSchema;
  std::string command = "sweep";  ///< or "baseline"
  std::string version;            ///< of autokernel; a later one may resume the run
  std::string created;            ///< wall time, for people
  std::string problems;           ///< folders as they were given; what is in them decides, not where they lie
  std::string candidates;
  std::int64_t verdicts = 0;  ///< how many a complete run has; skipped candidates have none
  std::string devices;
  std::string connect;
  protocol::EvaluationOptions options;
  std::map<std::string, std::string> problem_digests;    ///< name → digest, for every selected problem
  std::map<std::string, std::string> candidate_digests;  ///< "problem candidate" → digest

  template <class Archive>
  void describe(Archive& archive) {
    archive.field("schema", schema);
    archive.field("command", command);
    archive.field("version", version);
    archive.field("created", created);
    archive.field("problems", problems);
    archive.field("candidates", candidates);
    archive.field("verdicts", verdicts);
    archive.field("devices", devices);
    archive.field("connect", connect);
    archive.field("options", options);
    archive.field("problem_digests", problem_digests);
    archive.field("candidate_digests", candidate_digests);
  }
};

/// One line for each thing that differs, "precision: fp32 then, bf16 now"; empty when the second resumes the first.
/// Folders' places, version and time are no difference.
[[nodiscard]] std::vector<std::string> differences(const RunDescription& then, const RunDescription& now);

[[nodiscard]] std::string format_description(const RunDescription& description);

/// kInvalid: not TOML, a field is missing or wrong, or written by a newer version (the message says which).
[[nodiscard]] Result<RunDescription> parse_description(std::string_view text, std::string_view file_name);

}  // namespace autokernel::client
