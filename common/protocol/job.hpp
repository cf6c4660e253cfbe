#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "common/id/id.hpp"
#include "common/protocol/options.hpp"

namespace autokernel::protocol {

enum class JobKind {
  kEvaluate,  ///< a candidate against its problem
  kBaseline,  ///< time a reference alone
};
constexpr auto names_of(JobKind) {
  using enum JobKind;
  return std::array{std::pair{kEvaluate, std::string_view("evaluate")},
                    std::pair{kBaseline, std::string_view("baseline")}};
}

enum class Language {
  kPython,  ///< `ModelNew` in a .py file: PyTorch, Triton, load_inline
  kCuda,    ///< native .cu
  kHip,     ///< native .hip
  kCpp,     ///< native .cpp, for the CPU device
};
constexpr auto names_of(Language) {
  using enum Language;
  return std::array{std::pair{kPython, std::string_view("python")}, std::pair{kCuda, std::string_view("cuda")},
                    std::pair{kHip, std::string_view("hip")}, std::pair{kCpp, std::string_view("cpp")}};
}

/// What a candidate can run on: kAny runs everywhere (Triton by its interpreter on the CPU).
enum class DeviceKind { kAny, kCpu, kCuda, kHip };
constexpr auto names_of(DeviceKind) {
  using enum DeviceKind;
  return std::array{std::pair{kAny, std::string_view("any")}, std::pair{kCpu, std::string_view("cpu")},
                    std::pair{kCuda, std::string_view("cuda")}, std::pair{kHip, std::string_view("hip")}};
}

struct ProblemSource {
  int level = 0;
  int id = 0;        ///< KernelBench's number within the level
  std::string name;  ///< "level1/19_ReLU.py"
  std::string text;  ///< the file, batch override applied
  bool batch_overridden = false;

  template <class Archive>
  void describe(Archive& archive) {
    archive.field("level", level);
    archive.field("id", id);
    archive.field("name", name);
    archive.field("text", text);
    archive.field("batch_overridden", batch_overridden);
  }
};

struct CandidateSource {
  std::string name;  ///< "level_1_problem_19_sample_0_kernel.py"
  int sample = 0;
  Language language = Language::kPython;
  DeviceKind needs = DeviceKind::kAny;
  std::string text;

  template <class Archive>
  void describe(Archive& archive) {
    archive.field("name", name);
    archive.field("sample", sample);
    archive.field("language", language);
    archive.field("needs", needs);
    archive.field("text", text);
  }
};

/// Everything a worker needs to do a job; no path of the submitting machine in it.
struct JobSpec {
  JobKind kind = JobKind::kEvaluate;
  ProblemSource problem;
  CandidateSource candidate;  ///< empty for a baseline
  EvaluationOptions options;

  template <class Archive>
  void describe(Archive& archive) {
    archive.field("kind", kind);
    archive.field("problem", problem);
    archive.field("candidate", candidate);
    archive.field("options", options);
  }
};

/// Digest of the whole spec: the same sources and options give the same key, so submitting again is free.
[[nodiscard]] SubmitKey submit_key_of(const JobSpec& spec);

}  // namespace autokernel::protocol
