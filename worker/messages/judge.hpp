#pragma once

#include <map>
#include <string>
#include <string_view>
#include <variant>

#include "common/protocol/job.hpp"
#include "common/protocol/record.hpp"
#include "common/protocol/tagged.hpp"
#include "worker/messages/open_device.hpp"

/// Between the agent's lane (A) and a judge (J). A judge serves one problem under one set of options for as long as the
/// lane keeps it, and any number of candidates, one after the other.
namespace autokernel::messages {

/// The numbers of a rule table (kernelbench/rules) that the judge needs; it knows no protocol names.
struct Tolerance {
  double absolute = 1e-4;
  double relative = 1e-4;
  template <class Archive>
  void describe(Archive& archive) {
    archive.field("absolute", absolute);
    archive.field("relative", relative);
  }
};

/// J→A, in answer to OpenDevice. A device that does not open ends the judge instead, its reason on stderr.
struct DeviceOpen {
  static constexpr std::string_view kType = "device_open";
  template <class Archive>
  void describe(Archive& /*archive*/) {}
};

/// A→J, first but for OpenDevice. Loads the problem and instantiates its Model; answered by Prepared.
struct Prepare {
  static constexpr std::string_view kType = "prepare";
  protocol::ProblemSource problem;
  std::string problem_path;  ///< the problem's file on this machine
  protocol::EvaluationOptions options;
  Tolerance tolerance;
  protocol::DeviceKind device = protocol::DeviceKind::kCpu;  ///< kCuda: the one device that CUDA_VISIBLE_DEVICES leaves
  template <class Archive>
  void describe(Archive& archive) {
    archive.field("problem", problem);
    archive.field("problem_path", problem_path);
    archive.field("options", options);
    archive.field("tolerance", tolerance);
    archive.field("device", device);
  }
};

/// A→J, with one descriptor: the judge's end of a Channel to a fresh candidate process. Sent for each candidate, and
/// again in answer to NeedCandidate.
struct JudgeCandidate {
  static constexpr std::string_view kType = "judge_candidate";
  std::string candidate_path;
  std::string artefact_folder;  ///< kernel.so of native candidates; TORCH_EXTENSIONS_DIR of the others
  protocol::Language language = protocol::Language::kPython;
  template <class Archive>
  void describe(Archive& archive) {
    archive.field("candidate_path", candidate_path);
    archive.field("artefact_folder", artefact_folder);
    archive.field("language", language);
  }
};

/// A→J. Times the reference alone; answered by Judged with verdict `timed`.
struct TimeReference {
  static constexpr std::string_view kType = "time_reference";
  template <class Archive>
  void describe(Archive& /*archive*/) {}
};

using ToJudge = std::variant<OpenDevice, Prepare, JudgeCandidate, TimeReference>;

/// J→A. `problem_error` is empty when the reference is ready; otherwise says why it fails here, and the judge exits.
struct Prepared {
  static constexpr std::string_view kType = "prepared";
  std::string problem_error;
  double seconds = 0;
  protocol::PhaseSeconds phases;
  std::map<std::string, std::string> environment;  ///< "device", "driver", "clocks", … as the judge's process sees them
  template <class Archive>
  void describe(Archive& archive) {
    archive.field("problem_error", problem_error);
    archive.field("seconds", seconds);
    archive.field("phases", phases);
    archive.field("environment", environment);
  }
};

/// J→A, as each stage ends.
struct StageDone {
  static constexpr std::string_view kType = "stage_done";
  protocol::StageReport stage;
  template <class Archive>
  void describe(Archive& archive) {
    archive.field("stage", stage);
  }
};

/// J→A. The present candidate process is done with (kill it); send JudgeCandidate with a fresh one.
struct NeedCandidate {
  static constexpr std::string_view kType = "need_candidate";
  std::string reason;
  template <class Archive>
  void describe(Archive& archive) {
    archive.field("reason", reason);
  }
};

/// J→A, once per candidate. The lane adds what it knows (names, digests, environment, how the process died) and
/// forwards it. The candidate process is done with.
struct Judged {
  static constexpr std::string_view kType = "judged";
  protocol::Record record;
  bool candidate_vanished = false;  ///< its channel closed while something was asked of it: the exit status tells why
  bool judge_is_spent = false;      ///< this judge must not be used again (its device context is not to be trusted)
  template <class Archive>
  void describe(Archive& archive) {
    archive.field("record", record);
    archive.field("candidate_vanished", candidate_vanished);
    archive.field("judge_is_spent", judge_is_spent);
  }
};

using FromJudge = std::variant<DeviceOpen, Prepared, StageDone, NeedCandidate, Judged>;

}  // namespace autokernel::messages
