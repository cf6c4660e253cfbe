#include "worker/lane/candidate_ending.hpp"

#include <signal.h>

namespace autokernel::lane {
namespace {

protocol::Verdict verdict_of(const CandidateEnding& candidate) {
  using protocol::Verdict;
  if (candidate.never_ran) return Verdict::kInfrastructure;
  if (!candidate.ending) return Verdict::kCrashed;
  const auto& ending = *candidate.ending;
  if (ending.zygote_lost) return Verdict::kInfrastructure;
  if (ending.status.signal == SIGKILL && candidate.kernel_killed_for_memory) return Verdict::kOutOfMemory;
  // An allocation that fails in native code with nobody to catch it ends in abort(), and the C++ library says why.
  if (ending.status.signal == SIGABRT && candidate.last_output.find("std::bad_alloc") != std::string::npos) {
    return Verdict::kOutOfMemory;
  }
  return Verdict::kCrashed;
}

std::string words(const CandidateEnding& candidate) {
  if (candidate.never_ran) return "the candidate's process could not be started";
  if (!candidate.ending) return "the candidate's process closed its channel";
  const auto& ending = *candidate.ending;
  if (ending.zygote_lost) return "the candidate's process was " + ending.text();
  if (ending.status.signal == 0)
    return fmt::format("the candidate's process ended itself with {}", ending.status.text());
  const bool for_memory = ending.status.signal == SIGKILL && candidate.kernel_killed_for_memory;
  return fmt::format("the candidate's process was {}{}", ending.status.text(), for_memory ? " for lack of memory" : "");
}

}  // namespace

void explain(protocol::Record& record, const CandidateEnding& candidate) {
  if (record.verdict == protocol::Verdict::kCrashed) record.verdict = verdict_of(candidate);
  std::string detail = words(candidate);
  if (!record.detail.empty()) detail += ": " + record.detail;
  if (!candidate.last_output.empty()) detail += "\nits last output:\n" + candidate.last_output;
  record.detail = std::move(detail);
}

}  // namespace autokernel::lane
