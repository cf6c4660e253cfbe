#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/protocol/job.hpp"
#include "common/result/result.hpp"

namespace autokernel::kernelbench {

/// A file named as a problem. A broken one still counts as a problem of its level: a sweep reports it as
/// `problem_error`.
struct Problem {
  protocol::ProblemSource source;  ///< text is empty when broken
  std::filesystem::path path;
  std::string broken;  ///< why it cannot be used, for a person; empty for a good one

  [[nodiscard]] bool usable() const { return broken.empty(); }
};

/// The problems of a folder, in natural order (level, then number, then name).
struct Catalogue {
  std::filesystem::path root;
  std::vector<Problem> problems;
  std::vector<std::string> ignored;  ///< files in level folders whose names are no problem's, "level1/notes.txt"

  /// nullptr when there is none. Of problems with the same number the first.
  [[nodiscard]] const Problem* find(int level, int id) const;
  [[nodiscard]] std::vector<int> levels() const;
};

/// What a problem's file name says: "19_ReLU.py" is number 19, "ReLU".
struct ProblemFileName {
  int id = 0;
  std::string name;
};
[[nodiscard]] std::optional<ProblemFileName> parse_problem_file_name(std::string_view file);

/// The level of a folder name: 1 for "level1"; nullopt for any other name.
[[nodiscard]] std::optional<int> parse_level_folder(std::string_view folder);

/// Reads a KernelBench folder: one with level1, level2, … in it, one such level folder, or a checkout that has either
/// under KernelBench/. Blocks on the disk. kNotFound: no such folder. kInvalid: no folder, empty, or nothing in it is
/// named like a problem. A single bad file never fails the call; it becomes a broken problem.
[[nodiscard]] Result<Catalogue> load_catalogue(const std::filesystem::path& folder);

/// One problem's file, for `eval`: level and number come from the path where it has them, and are 0 otherwise.
/// kNotFound, kInvalid, kUnavailable: the file is missing or would be a broken problem.
[[nodiscard]] Result<Problem> load_problem(const std::filesystem::path& file);

}  // namespace autokernel::kernelbench
