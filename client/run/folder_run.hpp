#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "client/plan/plan.hpp"
#include "client/run_folder/run_folder.hpp"
#include "common/protocol/messages.hpp"
#include "common/result/result.hpp"

namespace autokernel::client {

/// What `sweep` and `baseline` have in common: jobs that end as verdicts in a run folder.
struct FolderRunRequest {
  std::string command;  ///< "sweep" or "baseline"
  PlanRequest plan;
  std::optional<std::string> out;
  std::string devices = "all";
  std::string connect;  ///< a coordinator's endpoint; empty: this machine
};

struct FolderRun {
  RunFolder folder;
  Plan plan;                   ///< without its jobs
  std::size_t total = 0;       ///< verdicts that a complete run has
  std::size_t unfinished = 0;  ///< more than 0 only after an interrupt
  std::optional<protocol::StatusReply> status;
  std::chrono::seconds elapsed{0};  ///< of this call, planning left out

  [[nodiscard]] bool complete() const { return unfinished == 0; }
};

/// Plans, opens or resumes the run folder, starts a node when none is named, and gets every job to its verdict. Blocks,
/// shows progress on stderr. Whatever was recorded stays recorded, also when it fails.
[[nodiscard]] Result<FolderRun> run_in_folder(const FolderRunRequest& request);

/// The device names and shares of use that a coordinator reported last: "NVIDIA H200 93%". Nothing for a run of a few
/// seconds: what was heard last is a heartbeat old, so it says little then.
[[nodiscard]] std::vector<std::string> busy_lines(const FolderRun& run);

}  // namespace autokernel::client
