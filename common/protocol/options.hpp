#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace autokernel::protocol {

enum class Precision { kFp32, kFp16, kBf16 };
constexpr auto names_of(Precision) {
  using enum Precision;
  return std::array{std::pair{kFp32, std::string_view("fp32")}, std::pair{kFp16, std::string_view("fp16")},
                    std::pair{kBf16, std::string_view("bf16")}};
}

/// Which stages a job runs: KernelBench's notion of correct (stages 1 and 2), or all five.
enum class StageSet { kAll, kCorrect };
constexpr auto names_of(StageSet) {
  using enum StageSet;
  return std::array{std::pair{kAll, std::string_view("all")}, std::pair{kCorrect, std::string_view("correct")}};
}

/// Where weights and inputs are drawn: on the device (fast), or on the CPU as KernelBench does.
enum class InputSource { kDevice, kCpu };
constexpr auto names_of(InputSource) {
  using enum InputSource;
  return std::array{std::pair{kDevice, std::string_view("device")}, std::pair{kCpu, std::string_view("cpu")}};
}

/// How the candidate gets its weights: the same seed before its constructor, or a copy of the reference's state_dict.
enum class WeightSource { kSeed, kCopy };
constexpr auto names_of(WeightSource) {
  using enum WeightSource;
  return std::array{std::pair{kSeed, std::string_view("seed")}, std::pair{kCopy, std::string_view("copy")}};
}

enum class SandboxMode { kRequire, kBest, kOff };
constexpr auto names_of(SandboxMode) {
  using enum SandboxMode;
  return std::array{std::pair{kRequire, std::string_view("require")}, std::pair{kBest, std::string_view("best")},
                    std::pair{kOff, std::string_view("off")}};
}

/// What a person asks of an evaluation; part of the job, so part of its submit key.
struct EvaluationOptions {
  std::string rules = "main";  ///< protocol version: a rule table of kernelbench/rules ("main", "v0.1")
  Precision precision = Precision::kFp32;
  StageSet stages = StageSet::kAll;
  std::int64_t trials = 5;  ///< of stage 2
  InputSource inputs = InputSource::kDevice;
  WeightSource weights = WeightSource::kSeed;
  bool timing = true;
  std::int64_t samples = 100;    ///< timing samples of candidate and reference each, at least
  double timeout_seconds = 180;  ///< for the candidate's own work on the lane; building has its own limit
  bool require_custom = false;   ///< refuse candidates that launch only the framework's own kernels
  SandboxMode sandbox = SandboxMode::kBest;
  std::uint64_t seed = 42;
  std::optional<std::int64_t> batch;  ///< replaces the problem's batch constant; stands in the record

  template <class Archive>
  void describe(Archive& archive) {
    archive.field("protocol", rules);
    archive.field("precision", precision);
    archive.field("stages", stages);
    archive.field("trials", trials);
    archive.field("inputs", inputs);
    archive.field("weights", weights);
    archive.field("timing", timing);
    archive.field("samples", samples);
    archive.field("timeout_seconds", timeout_seconds);
    archive.field("require_custom", require_custom);
    archive.field("sandbox", sandbox);
    archive.field("seed", seed);
    archive.field("batch", batch);
  }
  bool operator==(const EvaluationOptions&) const = default;
};

}  // namespace autokernel::protocol
