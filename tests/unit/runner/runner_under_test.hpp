#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "common/protocol/tagged.hpp"
#include "common/system/channel.hpp"
#include "common/system/process.hpp"
#include "worker/messages/zygote.hpp"

namespace autokernel::runner {

/// A real autokernel-runner with a folder of its own; children are spawned the way the agent does it.
class RunnerUnderTest {
 public:
  RunnerUnderTest();
  ~RunnerUnderTest();
  RunnerUnderTest(const RunnerUnderTest&) = delete;
  RunnerUnderTest& operator=(const RunnerUnderTest&) = delete;

  /// What it said first; empty when it was not Ready.
  [[nodiscard]] const std::map<std::string, std::string>& environment() const { return environment_; }

  /// The parent's end of the child's channel.
  [[nodiscard]] system::Channel spawn(std::uint64_t child, messages::Role role, std::uint64_t memory_bytes = 0);
  void kill(std::uint64_t child);
  /// Waits for the next Exited.
  [[nodiscard]] messages::Exited next_exit();

  /// Closes the zygote's channel and waits for its end.
  [[nodiscard]] system::ExitStatus stop();
  void kill_zygote() const { process_->send_signal(9); }

  /// Writes a file into the folder and returns its path.
  std::string write(const std::string& name, const std::string& text) const;
  [[nodiscard]] std::string path(const std::string& name) const { return folder_ + "/" + name; }
  /// What a child printed.
  [[nodiscard]] std::string output(std::uint64_t child) const;

 private:
  std::string folder_;
  std::optional<system::Channel> channel_;
  std::optional<system::ChildProcess> process_;
  std::map<std::string, std::string> environment_;
};

/// Sends a question and returns the answer; an empty family's error text when there is none in time.
template <class Answer, class Question>
[[nodiscard]] Result<Answer> ask(system::Channel& channel, const Question& question, const std::vector<int>& fds = {}) {
  AUTOKERNEL_TRY(channel.send(protocol::pack_message(question), fds));
  AUTOKERNEL_TRY_ASSIGN(auto frame, channel.receive(std::chrono::minutes(3)));
  if (!frame) return fail(Code::kUnavailable, "no answer in time");
  return protocol::unpack_message<Answer>(frame->bytes);
}

}  // namespace autokernel::runner
