#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "client/queue/job_tracker.hpp"
#include "common/protocol/record.hpp"
#include "common/result/result.hpp"
#include "kernelbench/candidate/folder.hpp"
#include "kernelbench/problem/catalogue.hpp"
#include "kernelbench/scoring/sheet.hpp"

namespace autokernel::client {

/// What a person asked to have evaluated.
struct PlanRequest {
  protocol::JobKind kind = protocol::JobKind::kEvaluate;
  std::filesystem::path problems;
  std::filesystem::path candidates;  ///< not read for baselines
  std::vector<std::string> levels;
  std::vector<std::string> only;
  protocol::EvaluationOptions options;
};

/// A candidate that nothing here can run.
struct SkippedCandidate {
  std::string candidate;
  std::string reason;
};

/// The work of a run, and what is known about it before any of it starts.
struct Plan {
  std::vector<QueuedJob> jobs;            ///< in the order to submit: by problem, then sample
  std::vector<protocol::Record> decided;  ///< verdicts on broken files: problem_error and load_error
  std::vector<SkippedCandidate> skipped;
  std::vector<std::string> warnings;
  std::vector<kernelbench::ScoredProblem> problems;  ///< all that were selected, with or without candidates
  /// Of the files as they are: those of the records, but for what --batch rewrites.
  std::map<std::string, std::string> problem_digests;
  std::map<std::string, std::string> candidate_digests;

  [[nodiscard]] std::size_t verdicts() const { return jobs.size() + decided.size(); }
};

/// Reads the folders; blocks on the disk. kInvalid, kNotFound: a folder is missing or empty, a selection meets nothing,
/// two files are for the same sample. `kinds`: of the devices that will run it; nullopt when that is not known, and
/// then nothing is skipped.
[[nodiscard]] Result<Plan> make_plan(const PlanRequest& request,
                                     const std::optional<std::set<protocol::DeviceKind>>& kinds);

/// The job of one problem and candidate; the candidate is empty for a baseline. Applies the batch override.
[[nodiscard]] protocol::JobSpec make_spec(protocol::JobKind kind, protocol::ProblemSource problem,
                                          protocol::CandidateSource candidate,
                                          const protocol::EvaluationOptions& options);

/// A record for what no worker needs to see.
[[nodiscard]] protocol::Record decided_record(const protocol::JobSpec& spec, protocol::Verdict verdict,
                                              const std::string& detail);

}  // namespace autokernel::client
