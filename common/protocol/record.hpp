#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/protocol/job.hpp"
#include "common/protocol/verdict.hpp"

namespace autokernel::protocol {

struct StageReport {
  StageName name = StageName::kSmoke;
  StageOutcome outcome = StageOutcome::kNotReached;
  double seconds = 0;
  std::string detail;  ///< why it failed or was skipped, in words to act on

  template <class Archive>
  void describe(Archive& archive) {
    archive.field("name", name);
    archive.field("outcome", outcome);
    archive.field("seconds", seconds);
    archive.field("detail", detail);
  }
};

/// Microseconds per call over all kept samples.
struct SampleSummary {
  double median = 0;
  double mean = 0;
  double std = 0;
  double min = 0;
  double max = 0;
  std::int64_t samples = 0;

  template <class Archive>
  void describe(Archive& archive) {
    archive.field("median", median);
    archive.field("mean", mean);
    archive.field("std", std);
    archive.field("min", min);
    archive.field("max", max);
    archive.field("samples", samples);
  }
};

/// Reference time over candidate time, from paired blocks.
struct SpeedupInterval {
  double median = 0;
  double low = 0;
  double high = 0;
  double confidence = 0.95;
  std::int64_t pairs = 1;  ///< freshly spawned pairs of processes that it rests on

  template <class Archive>
  void describe(Archive& archive) {
    archive.field("median", median);
    archive.field("low", low);
    archive.field("high", high);
    archive.field("confidence", confidence);
    archive.field("pairs", pairs);
  }
};

struct TimingReport {
  std::optional<SampleSummary> candidate_us;  ///< null for a baseline
  SampleSummary reference_us;
  std::optional<SpeedupInterval> speedup;
  std::vector<double> candidate_samples_us;  ///< every kept sample, in the order taken
  std::vector<double> reference_samples_us;
  std::string method;  ///< "cuda_event" or "cpu_clock"
  /// Host time of one call of forward: near or over the call's own time, it is launch-bound.
  double candidate_launch_us = 0;
  double reference_launch_us = 0;
  /// Timed calls, of all blocks and the dropped ones too, in which the device may have waited for the host's launches.
  std::int64_t candidate_host_bound = 0;
  std::int64_t reference_host_bound = 0;

  template <class Archive>
  void describe(Archive& archive) {
    archive.field("candidate_us", candidate_us);
    archive.field("reference_us", reference_us);
    archive.field("speedup", speedup);
    archive.field("candidate_samples_us", candidate_samples_us);
    archive.field("reference_samples_us", reference_samples_us);
    archive.field("method", method);
    archive.optional_field("candidate_launch_us", candidate_launch_us);
    archive.optional_field("reference_launch_us", reference_launch_us);
    archive.optional_field("candidate_host_bound", candidate_host_bound);
    archive.optional_field("reference_host_bound", reference_host_bound);
  }
};

/// How near the candidate came to what the device can do at all.
struct Roofline {
  std::string bound;  ///< "memory" or "compute"
  double floor_us = 0;
  double percent_of_peak = 0;

  template <class Archive>
  void describe(Archive& archive) {
    archive.field("bound", bound);
    archive.field("floor_us", floor_us);
    archive.field("percent_of_peak", percent_of_peak);
  }
};

/// Seconds of one evaluation by phase, so that a person sees where a lane's time went.
using PhaseSeconds = std::map<std::string, double>;

struct Digests {
  std::string problem;
  std::string candidate;
  std::string artefact;

  template <class Archive>
  void describe(Archive& archive) {
    archive.field("problem", problem);
    archive.field("candidate", candidate);
    archive.field("artefact", artefact);
  }
};

/// One verdict with everything it rests on. Written once; its JSON form is the public one (docs/verdicts.md).
struct Record {
  std::int64_t schema = 1;
  JobKind kind = JobKind::kEvaluate;
  std::string problem;  ///< "level1/19_ReLU.py"
  std::int64_t level = 0;
  std::int64_t problem_id = 0;
  std::string candidate;  ///< file name; empty for a baseline
  std::int64_t sample = 0;
  Verdict verdict = Verdict::kInfrastructure;
  std::string cheating_kind;  ///< with kCheating: "timer", …
  bool correct = false;
  bool robust = false;
  std::string detail;
  std::vector<StageReport> stages;
  std::optional<TimingReport> timing;
  std::optional<Roofline> roofline;  ///< null where bytes and operations, or the device's peaks, are not known
  std::optional<std::map<std::string, std::vector<std::string>>> kernels;  ///< "custom", "library"
  std::vector<std::string> vacuous;      ///< trivial answers that would pass this problem's check: "zeros", "mean", …
  std::string rule = "allclose";         ///< "allclose" or "float64": what decided stage 2
  std::optional<double> max_difference;  ///< largest absolute difference of stage 2's worst trial
  std::optional<double> mean_difference;
  std::int64_t trials_passed = 0;
  std::int64_t trials = 0;
  std::optional<double> peak_memory_mb;  ///< the candidate's own, on its device
  std::int64_t attempt = 1;
  double seconds = 0;  ///< lane time
  PhaseSeconds phases;
  std::map<std::string, std::string> environment;  ///< device, driver, torch, cuda, sandbox, evaluator, …
  EvaluationOptions options;
  bool batch_overridden = false;
  Digests digests;

  template <class Archive>
  void describe(Archive& archive) {
    archive.field("schema", schema);
    archive.field("kind", kind);
    archive.field("problem", problem);
    archive.field("level", level);
    archive.field("problem_id", problem_id);
    archive.field("candidate", candidate);
    archive.field("sample", sample);
    archive.field("verdict", verdict);
    archive.optional_field("cheating_kind", cheating_kind);
    archive.field("correct", correct);
    archive.field("robust", robust);
    archive.field("detail", detail);
    archive.field("stages", stages);
    archive.field("timing", timing);
    archive.optional_field("roofline", roofline);
    archive.optional_field("kernels", kernels);
    archive.optional_field("vacuous", vacuous);
    archive.optional_field("rule", rule);
    archive.optional_field("max_difference", max_difference);
    archive.optional_field("mean_difference", mean_difference);
    archive.optional_field("trials_passed", trials_passed);
    archive.optional_field("trials", trials);
    archive.optional_field("peak_memory_mb", peak_memory_mb);
    archive.field("attempt", attempt);
    archive.field("seconds", seconds);
    archive.optional_field("phases", phases);
    archive.field("environment", environment);
    archive.field("options", options);
    archive.optional_field("batch_overridden", batch_overridden);
    archive.field("digests", digests);
  }
};

}  // namespace autokernel::protocol
