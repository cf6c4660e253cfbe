#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "common/protocol/job.hpp"

namespace autokernel::kernelbench {

/// `.py`, `.cu`, `.hip` and `.cpp`, and what they are written in.
[[nodiscard]] std::optional<protocol::Language> language_of_suffix(std::string_view suffix);
[[nodiscard]] std::string_view suffix_of(protocol::Language language);

/// A candidate's place in KernelBench's naming.
struct CandidateName {
  int level = 0;
  int problem = 0;
  int sample = 0;
  protocol::Language language = protocol::Language::kPython;
  bool operator==(const CandidateName&) const = default;
};

/// "level_1_problem_19_sample_0_kernel.py". nullopt for every other name.
[[nodiscard]] std::optional<CandidateName> parse_candidate_name(std::string_view file);
[[nodiscard]] std::string candidate_file_name(const CandidateName& name);

/// A file of a folder that mirrors the problems: "19_ReLU.cu" is sample 0 of 19_ReLU.py, "19_ReLU.sample_2.cu"
/// sample 2.
struct MirroredName {
  int problem = 0;
  std::string stem;  ///< "19_ReLU"
  int sample = 0;
  protocol::Language language = protocol::Language::kPython;
  bool operator==(const MirroredName&) const = default;
};
[[nodiscard]] std::optional<MirroredName> parse_mirrored_name(std::string_view file);

}  // namespace autokernel::kernelbench
