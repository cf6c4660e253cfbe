#pragma once

#include <functional>
#include <optional>
#include <string>

#include "worker/runner/judge/evaluation.hpp"

namespace autokernel::judge {

/// A fresh process of the candidate whose turn it is, in place of one that is done with.
struct FreshCandidate {
  CandidateEnd end;
  messages::JudgeCandidate order;
};

/// What one candidate's turn needs of the judge around it.
struct TurnHost {
  std::function<Result<void>(const protocol::StageReport&)> stage_done;
  std::function<Result<FreshCandidate>(const std::string& reason)> need_candidate;
};

/// Takes one candidate through the stages and the timing, and writes its record. Main thread; blocks for the whole
/// turn. An error means that the agent is gone.
[[nodiscard]] Result<messages::Judged> take_turn(Evaluation::Parts parts, runner::Device& device, const TurnHost& host);

}  // namespace autokernel::judge
