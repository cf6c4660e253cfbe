#include "common/system/process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <filesystem>
#include <thread>

#include "common/system/fd.hpp"

extern char** environ;  // NOLINT(readability-redundant-declaration)

namespace autokernel::system {
namespace {

/// What the child needs after fork, laid out before it: only async-signal-safe calls are allowed there.
struct ExecPlan {
  std::vector<char*> arguments;
  std::vector<std::string> environment_text;
  std::vector<char*> environment;
  std::vector<std::pair<int, int>> descriptors;
  int input = -1;
  int output = -1;
};

std::vector<std::string> merged_environment(const std::map<std::string, std::string>& added) {
  std::vector<std::string> result;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    if (added.count(std::string(text.substr(0, text.find('=')))) == 0) result.emplace_back(text);
  }
  for (const auto& [name, value] : added) result.push_back(name + "=" + value);
  return result;
}

[[noreturn]] void become(const ExecPlan& plan, const ProcessOptions& options, pid_t parent, int report) {
  if (options.new_group) ::setpgid(0, 0);
  if (options.die_with_parent) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(127);  // it died before the line above
  }
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  for (const int signal : {SIGINT, SIGTERM, SIGPIPE, SIGCHLD, SIGHUP}) ::signal(signal, SIG_DFL);
  if (plan.input >= 0) ::dup2(plan.input, STDIN_FILENO);
  if (plan.output >= 0) {
    ::dup2(plan.output, STDOUT_FILENO);
    ::dup2(plan.output, STDERR_FILENO);
  }
  for (const auto& [here, there] : plan.descriptors) ::dup2(here, there);
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): exec's own type
  environ = const_cast<char**>(plan.environment.data());
  ::execvp(plan.arguments.front(), plan.arguments.data());
  const int error = errno;
  [[maybe_unused]] const auto written = ::write(report, &error, sizeof error);
  ::_exit(127);
}

}  // namespace

std::string ExitStatus::text() const {
  if (signal == 0) return fmt::format("exit code {}", code);
  const char* abbreviation = ::sigabbrev_np(signal);
  const char* description = ::sigdescr_np(signal);
  return fmt::format("killed by SIG{} ({})", abbreviation == nullptr ? "?" : abbreviation,
                     description == nullptr ? "unknown signal" : description);
}

ExitStatus exit_status_from_wait(int status) {
  if (WIFSIGNALED(status)) return ExitStatus{0, WTERMSIG(status)};
  return ExitStatus{WEXITSTATUS(status), 0};
}

Result<ChildProcess> ChildProcess::start(const ProcessOptions& options) {
  AUTOKERNEL_CHECK(!options.arguments.empty());
  ExecPlan plan;
  auto arguments = options.arguments;
  for (std::string& argument : arguments) plan.arguments.push_back(argument.data());
  plan.arguments.push_back(nullptr);
  plan.environment_text = merged_environment(options.environment);
  for (std::string& entry : plan.environment_text) plan.environment.push_back(entry.data());
  plan.environment.push_back(nullptr);

  UniqueFd output;
  if (!options.output_path.empty()) {
    output = UniqueFd(::open(options.output_path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
    if (!output.valid()) {
      return fail(Code::kUnavailable, "cannot write '{}': {}", options.output_path, std::strerror(errno));
    }
  }
  plan.output = output.get();
  UniqueFd input;
  if (options.new_group) {  // a background job that reads the terminal would be stopped for ever
    input = UniqueFd(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  }
  plan.input = input.get();

  // A descriptor whose number is a target would be overwritten before its turn: they all move above the targets.
  int first_free = 64;
  for (const auto& descriptor : options.descriptors) first_free = std::max(first_free, descriptor.second + 1);
  std::vector<UniqueFd> moved;
  const auto move_up = [&](int fd) {
    moved.emplace_back(::fcntl(fd, F_DUPFD_CLOEXEC, first_free));
    return moved.back().get();
  };
  for (const auto& [here, there] : options.descriptors) plan.descriptors.emplace_back(move_up(here), there);
  std::array<int, 2> report{};
  if (::pipe2(report.data(), O_CLOEXEC) != 0) return fail(Code::kExhausted, "pipe: {}", std::strerror(errno));
  const UniqueFd report_read(report[0]);
  UniqueFd report_low(report[1]);
  const int report_write = move_up(report_low.get());
  report_low.reset();
  for (const UniqueFd& fd : moved) {
    if (!fd.valid()) return fail(Code::kExhausted, "cannot pass a descriptor on: it is not open, or too many are");
  }

  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) return fail(Code::kExhausted, "fork: {}", std::strerror(errno));
  if (pid == 0) become(plan, options, parent, report_write);
  if (options.new_group) ::setpgid(pid, pid);  // both sides, so that neither order leaves a gap
  moved.clear();

  int error = 0;
  ssize_t got = 0;
  do {
    got = ::read(report_read.get(), &error, sizeof error);
  } while (got < 0 && errno == EINTR);
  if (got == sizeof error) {
    while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
    return fail(error == ENOENT ? Code::kNotFound : Code::kUnavailable, "cannot run '{}': {}",
                options.arguments.front(), std::strerror(error));
  }
  return ChildProcess(pid, options.new_group);
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), group_(other.group_), status_(other.status_) {}

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
  if (this != &other) {
    if (pid_ > 0) stop(std::chrono::milliseconds(0));
    pid_ = std::exchange(other.pid_, -1);
    group_ = other.group_;
    status_ = other.status_;
  }
  return *this;
}

ChildProcess::~ChildProcess() {
  if (pid_ > 0) stop(std::chrono::milliseconds(0));
}

std::optional<ExitStatus> ChildProcess::poll() {
  if (status_ || pid_ <= 0) return status_;
  siginfo_t ended{};
  if (::waitid(P_PID, static_cast<id_t>(pid_), &ended, WEXITED | WNOHANG | WNOWAIT) != 0) {
    if (errno == ECHILD) status_ = ExitStatus{127, 0};  // somebody else reaped it
    return status_;
  }
  if (ended.si_pid != pid_) return status_;
  // While it is not reaped its number cannot be given to another process: the last moment to kill what it left behind.
  if (group_) ::kill(-pid_, SIGKILL);
  int status = 0;
  if (::waitpid(pid_, &status, 0) == pid_) status_ = exit_status_from_wait(status);
  return status_;
}

std::optional<ExitStatus> ChildProcess::wait(std::chrono::milliseconds timeout) {
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  auto pause = std::chrono::milliseconds(1);
  for (;;) {
    if (auto status = poll()) return status;
    if (std::chrono::steady_clock::now() >= deadline) return std::nullopt;
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::milliseconds(20));
  }
}

ExitStatus ChildProcess::stop(std::chrono::milliseconds grace) {
  if (!poll() && grace.count() > 0) {
    send_signal(SIGTERM);
    static_cast<void>(wait(grace));
  }
  if (!status_) ::kill(group_ ? -pid_ : pid_, SIGKILL);
  while (!poll()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return *status_;
}

void ChildProcess::send_signal(int signal) const {
  if (pid_ > 0 && !status_) ::kill(pid_, signal);
}

std::string executable_folder() {
  std::error_code error;
  const auto path = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? "." : path.parent_path().string();
}

}  // namespace autokernel::system
