#pragma once

#include <string>

#include "common/protocol/record.hpp"
#include "worker/runner_process/runner_child.hpp"

namespace autokernel::lane {

/// What is known of a candidate process that ended while the judge was asking something of it.
struct CandidateEnding {
  std::optional<runner_process::Ending> ending;  ///< nullopt: it closed its channel but runs on
  bool kernel_killed_for_memory = false;         ///< the kernel killed some process for memory in that time
  bool never_ran = false;                        ///< it could not even be forked
  std::string last_output;
};

/// Puts how it ended in front of the judge's words. Only a plain `crashed` changes its verdict: to out_of_memory where
/// that is certain, to infrastructure where the process did not end by its own doing.
void explain(protocol::Record& record, const CandidateEnding& candidate);

}  // namespace autokernel::lane
