// Stands in for autokernel-runner in the worker's tests: the same messages over the same channels, no torch. What a
// child does is written in the text it is given, so that tests read like a story:
//   problem text    "BAD PROBLEM", "JUDGE CRASH", "JUDGE HANG", "JUDGE EXIT", "JUDGE SPENT"
//   candidate text  "CRASH", "HANG", "EXIT 3", "ABORT", "AGAIN" (the judge asks for a second process once), "LATE JUDGE
//   DEATH" build text      "COMPILE ERROR", "NO COMPILER", "BUILD HANG", "BUILD CRASH"
// FAKE_RUNNER=unfit makes the zygote refuse; FAKE_RUNNER=mute makes it say nothing.
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

#include "common/protocol/tagged.hpp"
#include "common/system/channel.hpp"
#include "common/system/process.hpp"
#include "worker/messages/builder.hpp"
#include "worker/messages/candidate.hpp"
#include "worker/messages/judge.hpp"
#include "worker/messages/zygote.hpp"

namespace autokernel {
namespace {

using system::Channel;

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

bool says(const std::string& text, const char* word) { return text.find(word) != std::string::npos; }

[[noreturn]] void hang() {
  for (;;) ::pause();
}

/// As a program without a handler would; sanitizers install one.
void die_of(int signal) {
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

template <class Family>
std::optional<Family> next(Channel& channel, std::vector<system::UniqueFd>* fds = nullptr) {
  auto frame = channel.receive(std::chrono::hours(1));
  if (!frame || !*frame) return std::nullopt;
  if (fds != nullptr) *fds = std::move((*frame)->fds);
  auto message = protocol::unpack_message<Family>((*frame)->bytes);
  if (!message) return std::nullopt;
  return *std::move(message);
}

template <class Family, class Message>
void say(Channel& channel, const Message& message) {
  if (!channel.send(protocol::pack_message(Family(message)))) ::_exit(0);
}

int build(Channel& agent) {
  const auto message = next<messages::ToBuilder>(agent);
  if (!message) return 0;
  const auto& order = std::get<messages::Build>(*message);
  const std::string source = text_of(order.source_path);
  if (says(source, "BUILD HANG")) hang();
  if (says(source, "BUILD CRASH")) die_of(SIGSEGV);
  // One line per build that really ran: tests count them.
  std::ofstream(order.artefact_folder + "/built.txt", std::ios::app) << ::getpid() << "\n";
  messages::Built built;
  built.seconds = 0.5;
  if (says(source, "COMPILE ERROR")) {
    built.outcome = messages::BuildOutcome::kCompileError;
    built.detail = order.source_path + ":3: error: expected a ';'";
  } else if (says(source, "NO COMPILER")) {
    built.outcome = messages::BuildOutcome::kMissingTool;
    built.detail = "nvcc is not installed";
  }
  say<messages::FromBuilder>(agent, built);
  return 0;
}

int be_candidate(Channel& judge) {
  while (const auto message = next<messages::ToCandidate>(judge)) {
    const auto* load = std::get_if<messages::Load>(&*message);
    if (load == nullptr) continue;
    const std::string source = text_of(load->candidate_path);
    std::printf("loading as %s\n", std::getenv("CUDA_VISIBLE_DEVICES"));
    std::fflush(stdout);
    if (says(source, "CRASH")) die_of(SIGSEGV);
    if (says(source, "EXIT 3")) return 3;
    if (says(source, "ABORT")) {
      std::printf("terminate called after throwing an instance of 'std::bad_alloc'\n");
      std::fflush(stdout);
      ::abort();
    }
    if (says(source, "HANG")) hang();
    say<messages::FromCandidate>(judge, messages::Loaded{0.01});
  }
  return 0;
}

messages::Judged judge_one(const messages::JudgeCandidate& order, Channel& agent, system::UniqueFd socket, int round) {
  messages::Judged judged;
  Channel candidate(std::move(socket));
  messages::Load load;
  load.candidate_path = order.candidate_path;
  say<messages::ToCandidate>(candidate, load);
  const auto answer = next<messages::FromCandidate>(candidate);
  const auto outcome = answer ? protocol::StageOutcome::kPassed : protocol::StageOutcome::kFailed;
  const protocol::StageReport smoke{protocol::StageName::kSmoke, outcome, 0.01, ""};
  say<messages::FromJudge>(agent, messages::StageDone{smoke});
  judged.record.stages = {smoke};
  judged.record.phases["smoke"] = 0.01;
  judged.record.verdict = answer ? protocol::Verdict::kRobust : protocol::Verdict::kCrashed;
  judged.record.correct = judged.record.robust = answer.has_value();
  judged.record.detail = answer ? "" : "while it was loaded";
  judged.record.environment["round"] = std::to_string(round);
  judged.record.environment["judge"] = std::to_string(::getpid());
  judged.candidate_vanished = !answer;
  return judged;
}

int judge(Channel& agent) {
  std::string problem;
  int round = 0;
  std::vector<system::UniqueFd> fds;
  while (const auto message = next<messages::ToJudge>(agent, &fds)) {
    if (std::holds_alternative<messages::OpenDevice>(*message)) {
      say<messages::FromJudge>(agent, messages::DeviceOpen());
    } else if (const auto* prepare = std::get_if<messages::Prepare>(&*message)) {
      problem = text_of(prepare->problem_path);
      if (says(problem, "JUDGE CRASH")) die_of(SIGSEGV);
      if (says(problem, "JUDGE EXIT")) return 4;
      if (says(problem, "JUDGE HANG")) hang();
      messages::Prepared prepared;
      if (says(problem, "BAD PROBLEM")) prepared.problem_error = "NameError: name 'Model' is not defined";
      prepared.environment["tolerance"] = fmt::format("{}", prepare->tolerance.absolute);
      say<messages::FromJudge>(agent, prepared);
      if (!prepared.problem_error.empty()) return 0;
    } else if (const auto* order = std::get_if<messages::JudgeCandidate>(&*message)) {
      ++round;
      const std::string source = text_of(order->candidate_path);
      if (says(source, "LATE JUDGE DEATH")) return 5;
      if (says(source, "AGAIN") && round == 1) {
        say<messages::FromJudge>(agent, messages::NeedCandidate{"a confirming run"});
        continue;
      }
      auto judged = judge_one(*order, agent, std::move(fds.at(0)), round);
      judged.judge_is_spent = says(problem, "JUDGE SPENT");
      say<messages::FromJudge>(agent, judged);
    } else {
      messages::Judged judged;
      judged.record.verdict = protocol::Verdict::kTimed;
      say<messages::FromJudge>(agent, judged);
    }
  }
  return 0;
}

[[noreturn]] void become(const messages::Spawn& spawn, system::UniqueFd socket) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int output = ::open(spawn.output_path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0644);
  ::dup2(output, STDOUT_FILENO);
  ::dup2(output, STDERR_FILENO);
  if (::chdir(spawn.folder.c_str()) != 0) ::_exit(126);
  for (const auto& [name, value] : spawn.environment) ::setenv(name.c_str(), value.c_str(), 1);
  Channel channel(std::move(socket));
  int code = 0;
  if (spawn.role == messages::Role::kBuilder) code = build(channel);
  if (spawn.role == messages::Role::kJudge) code = judge(channel);
  if (spawn.role == messages::Role::kCandidate) code = be_candidate(channel);
  ::_exit(code);
}

/// Reaps what ended and tells the agent.
void report_ends(Channel& agent, std::map<pid_t, std::uint64_t>& children) {
  int status = 0;
  for (pid_t pid = ::waitpid(-1, &status, WNOHANG); pid > 0; pid = ::waitpid(-1, &status, WNOHANG)) {
    const auto ended = system::exit_status_from_wait(status);
    say<messages::FromZygote>(agent, messages::Exited{children[pid], ended.code, ended.signal});
    children.erase(pid);
  }
}

int be_zygote() {
  Channel agent(system::UniqueFd(3));
  const char* mode = std::getenv("FAKE_RUNNER");
  if (mode != nullptr && std::string(mode) == "mute") hang();
  if (mode != nullptr && std::string(mode) == "unfit") {
    say<messages::FromZygote>(agent, messages::Unfit{"torch is not installed: run scripts/setup"});
    return 3;
  }
  say<messages::FromZygote>(agent, messages::Ready{{{"torch", "2.11.0"}, {"python", "3.11"}}});
  std::map<pid_t, std::uint64_t> children;
  for (;;) {
    auto frame = agent.receive(std::chrono::milliseconds(2));
    if (!frame) return 0;
    if (*frame) {
      auto message = protocol::unpack_message<messages::ToZygote>((*frame)->bytes);
      if (!message) return 1;
      if (const auto* spawn = std::get_if<messages::Spawn>(&*message)) {
        const pid_t pid = ::fork();
        if (pid == 0) {
          agent.close();
          become(*spawn, std::move((*frame)->fds.at(0)));
        }
        ::setpgid(pid, pid);
        children[pid] = spawn->child;
      } else if (const auto* kill = std::get_if<messages::Kill>(&*message)) {
        for (const auto& [pid, id] : children) {
          if (id == kill->child) ::kill(-pid, SIGKILL);
        }
      }
    }
    report_ends(agent, children);
  }
}

}  // namespace

int run_fake_runner() { return be_zygote(); }

}  // namespace autokernel

int main() { return autokernel::run_fake_runner(); }
