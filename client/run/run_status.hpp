#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "common/protocol/messages.hpp"
#include "common/protocol/value.hpp"
#include "common/result/result.hpp"

namespace autokernel::client {

/// How far a run is, from its folder and, while it runs, from its coordinator.
struct RunStatus {
  std::string run;      ///< folder or endpoint
  std::string command;  ///< "sweep" or "baseline"; empty for a cluster
  std::string state;    ///< "running", "interrupted", "finished", or "cluster"
  std::size_t done = 0;
  std::int64_t total = 0;
  std::map<std::string, std::size_t> verdicts;
  std::optional<protocol::StatusReply> queue;  ///< of a coordinator that answers
};

/// kNotFound, kInvalid: it is no run folder. Blocks for two seconds at most.
[[nodiscard]] Result<RunStatus> status_of_run(const std::filesystem::path& run);

/// kUnavailable: no coordinator answers there.
[[nodiscard]] Result<RunStatus> status_of_cluster(const std::string& endpoint);

/// The newest run folder in `runs`. kNotFound: there is none.
[[nodiscard]] Result<std::filesystem::path> newest_run(const std::filesystem::path& runs);

[[nodiscard]] std::string status_text(const RunStatus& status);
[[nodiscard]] protocol::Value status_value(const RunStatus& status);

}  // namespace autokernel::client
