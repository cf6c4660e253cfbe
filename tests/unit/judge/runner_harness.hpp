#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/system/channel.hpp"
#include "common/system/process.hpp"
#include "worker/messages/builder.hpp"
#include "worker/messages/judge.hpp"
#include "worker/messages/zygote.hpp"

namespace autokernel::judge {

/// Plays the agent: starts the real autokernel-runner, has it fork a judge and a candidate for each turn, and gives
/// them sources that a test wrote. Everything lies in a folder of its own, gone with it.
class RunnerHarness {
 public:
  RunnerHarness();
  RunnerHarness(const RunnerHarness&) = delete;
  RunnerHarness& operator=(const RunnerHarness&) = delete;
  ~RunnerHarness();

  /// Replaces the judge by a fresh one that prepares this problem.
  messages::Prepared prepare(const std::string& problem, const protocol::EvaluationOptions& options,
                             const messages::Tolerance& tolerance = {});

  /// One turn of a candidate; stages as they were reported are in stages().
  messages::Judged judge(const std::string& candidate);
  /// The same for a native candidate that is built already.
  messages::Judged judge_native(const std::string& artefact_folder);
  messages::Judged time_reference();

  [[nodiscard]] const std::vector<protocol::StageReport>& stages() const { return stages_; }
  [[nodiscard]] int fresh_candidates() const { return fresh_candidates_; }
  [[nodiscard]] std::filesystem::path folder() const { return folder_; }

 private:
  struct Child {
    std::uint64_t id;
    system::Channel channel;
  };
  Child spawn(messages::Role role);
  void kill(std::uint64_t child);
  void give_candidate();
  messages::Judged take_turn();
  std::string write(const std::string& name, const std::string& text);

  std::filesystem::path folder_;
  std::optional<system::ChildProcess> process_;
  std::optional<system::Channel> zygote_;
  std::optional<Child> judge_;
  std::optional<std::uint64_t> candidate_;
  messages::JudgeCandidate order_;
  std::vector<protocol::StageReport> stages_;
  std::uint64_t next_child_ = 1;
  int files_ = 0;
  int fresh_candidates_ = 0;
};

}  // namespace autokernel::judge
