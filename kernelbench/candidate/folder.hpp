#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "common/protocol/job.hpp"
#include "common/result/result.hpp"
#include "kernelbench/problem/catalogue.hpp"

namespace autokernel::kernelbench {

/// A candidate for a problem of the catalogue. A broken one is reported as `load_error`.
struct Candidate {
  protocol::CandidateSource source;  ///< text is empty when broken
  int level = 0;
  int problem_id = 0;
  std::filesystem::path path;
  std::string broken;  ///< why it cannot be used, for a person; empty for a good one

  [[nodiscard]] bool usable() const { return broken.empty(); }
};

struct CandidateFolder {
  std::filesystem::path root;
  std::vector<Candidate> candidates;   ///< by level, problem, sample
  std::vector<std::string> unmatched;  ///< one warning for each candidate of no problem, with the nearest names
  std::vector<std::string> ignored;    ///< other files, relative to root

  /// The candidates of one problem, by sample.
  [[nodiscard]] std::vector<const Candidate*> of(const protocol::ProblemSource& problem) const;

  /// One warning of the ignored files that look like sources but have no candidate's name: how many, some of them, and
  /// the names that were expected. Empty when there are none.
  [[nodiscard]] std::string misnamed() const;
};

/// Reads a folder in KernelBench's layout (level_1_problem_19_sample_0_kernel.py), one that mirrors the problems
/// (level1/19_ReLU.cu, level1/19_ReLU.sample_2.cu), or both. Give the whole catalogue, not a selection of it:
/// candidates of problems that were not asked for are no mistake. Prompts (*_prompt.txt), hidden files and __pycache__
/// are passed over. kNotFound: no such folder. kInvalid: no candidate in it, or two files for the same sample of a
/// problem (names both).
[[nodiscard]] Result<CandidateFolder> load_candidates(const std::filesystem::path& folder, const Catalogue& catalogue);

/// One candidate's file for a given problem, for `eval`. kNotFound, kInvalid, kUnavailable as read_source, or an
/// unknown suffix.
[[nodiscard]] Result<Candidate> load_candidate(const std::filesystem::path& file,
                                               const protocol::ProblemSource& problem);

}  // namespace autokernel::kernelbench
