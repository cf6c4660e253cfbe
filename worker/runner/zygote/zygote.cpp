#include "worker/runner/zygote/zygote.hpp"

#include <poll.h>
#include <pybind11/pybind11.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <variant>

#include "common/system/process.hpp"
#include "worker/runner/python/interpreter.hpp"
#include "worker/runner/zygote/child.hpp"

namespace autokernel::runner {
namespace {

constexpr int kCannotFork = 127;
constexpr int kUnfitExit = 3;
constexpr std::chrono::seconds kMessageTimeout{30};

/// SIGCHLD as something to poll for. Children get their signals back (child.cpp).
Result<system::UniqueFd> watch_children() {
  struct sigaction only_ends {};
  only_ends.sa_handler = SIG_DFL;
  only_ends.sa_flags = SA_NOCLDSTOP;  // judges stop and continue candidates all the time
  ::sigaction(SIGCHLD, &only_ends, nullptr);
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGCHLD);
  ::sigprocmask(SIG_BLOCK, &signals, nullptr);
  system::UniqueFd fd(::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!fd.valid()) return fail(Code::kExhausted, "signalfd: {}", std::strerror(errno));
  return fd;
}

}  // namespace

int Zygote::run() {
  ::signal(SIGPIPE, SIG_IGN);
  auto environment = start_interpreter();
  if (!environment) {
    fmt::print(stderr, "{}\n", environment.error().message);
    static_cast<void>(say(messages::Unfit{environment.error().message}));
    return kUnfitExit;
  }
  Result<void> served = say(messages::Ready{*std::move(environment)});
  if (served) served = serve();
  kill_all();
  if (served || served.error().code == Code::kUnavailable)
    return 0;  // the agent closed its end: the ordinary way to go
  fmt::print(stderr, "the zygote stops: {}\n", served.error().message);
  return exit_code_of(served.error().code);
}

Result<void> Zygote::serve() {
  AUTOKERNEL_TRY_ASSIGN(child_signals_, watch_children());
  for (;;) {
    std::array<pollfd, 2> entries{pollfd{agent_.fd(), POLLIN, 0}, pollfd{child_signals_.get(), POLLIN, 0}};
    if (::poll(entries.data(), entries.size(), -1) < 0) {
      if (errno == EINTR) continue;
      return fail(Code::kInternal, "poll: {}", std::strerror(errno));
    }
    if (entries[1].revents != 0) AUTOKERNEL_TRY(reap());
    if (entries[0].revents != 0) AUTOKERNEL_TRY(on_message());
  }
}

Result<void> Zygote::on_message() {
  AUTOKERNEL_TRY_ASSIGN(auto frame, agent_.receive(kMessageTimeout));
  if (!frame) return fail(Code::kInvalid, "the agent stopped in the middle of a message");
  AUTOKERNEL_TRY_ASSIGN(const auto message, protocol::unpack_message<messages::ToZygote>(frame->bytes));
  if (const auto* wanted = std::get_if<messages::Kill>(&message)) {
    kill(*wanted);
    return {};
  }
  if (frame->fds.size() != 1)
    return fail(Code::kInvalid, "spawn came with {} descriptors instead of 1", frame->fds.size());
  return spawn(std::get<messages::Spawn>(message), std::move(frame->fds.front()));
}

Result<void> Zygote::spawn(const messages::Spawn& spawn, system::UniqueFd channel) {
  const pid_t zygote = ::getpid();
  PyOS_BeforeFork();
  const pid_t pid = ::fork();
  if (pid == 0) {
    PyOS_AfterFork_Child();
    live_as_child(spawn, std::move(channel), roles_, zygote);
  }
  const int error = errno;
  PyOS_AfterFork_Parent();
  if (pid < 0) {
    fmt::print(stderr, "cannot fork: {}\n", std::strerror(error));
    return say(messages::Exited{spawn.child, kCannotFork, 0});
  }
  ::setpgid(pid, pid);  // both sides, so that neither order leaves a gap
  children_[spawn.child] = pid;
  return {};
}

void Zygote::kill(const messages::Kill& kill) const {
  const auto found = children_.find(kill.child);
  if (found != children_.end()) ::kill(-found->second, SIGKILL);
}

Result<void> Zygote::reap() {
  signalfd_siginfo ignored{};
  while (::read(child_signals_.get(), &ignored, sizeof ignored) > 0) {
  }
  for (;;) {
    siginfo_t ended{};
    if (::waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) != 0 || ended.si_pid == 0) return {};
    // While it is a zombie nobody else can get its number: what it left behind in its group goes now.
    ::kill(-ended.si_pid, SIGKILL);
    int status = 0;
    ::waitpid(ended.si_pid, &status, 0);
    for (auto entry = children_.begin(); entry != children_.end(); ++entry) {
      if (entry->second != ended.si_pid) continue;
      const std::uint64_t child = entry->first;
      children_.erase(entry);
      const system::ExitStatus exit = system::exit_status_from_wait(status);
      AUTOKERNEL_TRY(say(messages::Exited{child, exit.code, exit.signal}));
      break;
    }
  }
}

void Zygote::kill_all() {
  for (const auto& [child, pid] : children_) ::kill(-pid, SIGKILL);
  for (const auto& [child, pid] : children_) ::waitpid(pid, nullptr, 0);
  children_.clear();
}

Result<void> Zygote::say(const messages::FromZygote& message) { return agent_.send(protocol::pack_message(message)); }

}  // namespace autokernel::runner
