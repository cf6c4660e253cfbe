#include "worker/runner/zygote/child.hpp"

#include <fcntl.h>
#include <pybind11/pybind11.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>

#include "worker/runner/python/attempt.hpp"
#include "worker/runner/python/interpreter.hpp"
#include "worker/runner/zygote/memory_limit.hpp"
#include "worker/runner/zygote/stay_in_group.hpp"

namespace py = pybind11;

namespace autokernel::runner {
namespace {

constexpr int kCannotStart = 127;
constexpr int kRoleBroke = 70;  // sysexits' EX_SOFTWARE: a bug of ours, not of the candidate
constexpr int kChannelFd = 3;
constexpr int kBuilderNiceness = 5;  // builds give way to what is being timed

void require(bool done, const char* what, const std::string& subject) {
  if (done) return;
  fmt::print(stderr, "cannot {} '{}': {}\n", what, subject, std::strerror(errno));
  std::fflush(stderr);
  ::_exit(kCannotStart);
}

void redirect_output(const std::string& path) {
  const system::UniqueFd nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  ::dup2(nothing.get(), STDIN_FILENO);
  if (path.empty()) return;
  const system::UniqueFd output(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0644));
  require(output.valid(), "write", path);
  ::dup2(output.get(), STDOUT_FILENO);
  ::dup2(output.get(), STDERR_FILENO);
}

/// Puts the channel at a fixed place and closes all others: a child must not hold the ends of its siblings' channels.
system::UniqueFd keep_only(system::UniqueFd channel) {
  if (channel.get() != kChannelFd) {
    ::dup2(channel.get(), kChannelFd);
    channel = system::UniqueFd(kChannelFd);
  }
  ::fcntl(kChannelFd, F_SETFD, FD_CLOEXEC);
  ::close_range(kChannelFd + 1, ~0U, 0);
  return channel;
}

void set_environment(const std::map<std::string, std::string>& environment) {
  if (environment.empty()) return;
  const py::object variables = py::module_::import("os").attr("environ");  // sets C's environment too
  for (const auto& [name, value] : environment) variables[name.c_str()] = value;
  // OpenMP read this at load time, which was in the zygote.
  if (const auto threads = environment.find("OMP_NUM_THREADS"); threads != environment.end()) {
    py::module_::import("torch").attr("set_num_threads")(std::stoi(threads->second));
  }
}

void set_limits(const messages::Spawn& spawn) {
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  // When the machine runs out of memory, the kernel should take what is disposable.
  std::ofstream("/proc/self/oom_score_adj") << (spawn.role == messages::Role::kJudge ? 200 : 500);
  if (spawn.role == messages::Role::kBuilder) ::setpriority(PRIO_PROCESS, 0, kBuilderNiceness);
  limit_memory(spawn.memory_bytes);
  if (spawn.role != messages::Role::kCandidate) settle_memory_limit(0);  // a candidate settles when it maps the arena
}

}  // namespace

void live_as_child(const messages::Spawn& spawn, system::UniqueFd channel, const Roles& roles, pid_t zygote) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != zygote) ::_exit(kCannotStart);  // it died before the line above
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGINT, SIG_DFL);

  redirect_output(spawn.output_path);
  system::UniqueFd own = keep_only(std::move(channel));
  if (!spawn.folder.empty()) require(::chdir(spawn.folder.c_str()) == 0, "enter folder", spawn.folder);
  int code = kRoleBroke;
  try {
    set_environment(spawn.environment);
    set_limits(spawn);
    if (spawn.role == messages::Role::kCandidate && !stay_in_group()) {
      fmt::print(stderr, "this kernel has no seccomp: a candidate could leave its process group\n");
    }
    code = roles.at(spawn.role)(system::Channel(std::move(own)));
  } catch (...) {
    fmt::print(stderr, "the {} broke: {}\n", protocol::name_of(spawn.role), failed_from_exception().message);
  }
  leave(code);
}

}  // namespace autokernel::runner
