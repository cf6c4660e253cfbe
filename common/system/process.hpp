#pragma once

#include <sys/types.h>

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/result/result.hpp"

namespace autokernel::system {

/// How a process ended.
struct ExitStatus {
  int code = 0;    ///< exit code; 0 when a signal ended it
  int signal = 0;  ///< 0 when it exited by itself

  [[nodiscard]] bool success() const { return code == 0 && signal == 0; }
  [[nodiscard]] std::string text() const;  ///< "exit code 3", "killed by SIGSEGV (segmentation fault)"
};

/// From waitpid's status word.
[[nodiscard]] ExitStatus exit_status_from_wait(int status);

struct ProcessOptions {
  std::vector<std::string> arguments;              ///< arguments[0] is the program; looked up in PATH without a slash
  std::map<std::string, std::string> environment;  ///< added to this process's own
  std::vector<std::pair<int, int>> descriptors;    ///< (here, there): inherited ones; all others are closed on exec
  std::string output_path;                         ///< stdout and stderr are appended there; empty: inherited
  bool new_group = true;                           ///< own process group, so that stop() reaches its children
  bool die_with_parent = true;                     ///< SIGKILL when the thread that started it ends (Linux pdeathsig)
};

/// Owns a child process; the destructor kills its group and reaps it.
class ChildProcess {
 public:
  [[nodiscard]] static Result<ChildProcess> start(const ProcessOptions& options);

  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&& other) noexcept;
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;
  ~ChildProcess();

  [[nodiscard]] pid_t pid() const { return pid_; }

  /// nullopt while it runs; its status for ever after. Processes of its group that outlive it are killed when it is
  /// reaped.
  [[nodiscard]] std::optional<ExitStatus> poll();

  /// nullopt when it still runs at the timeout.
  [[nodiscard]] std::optional<ExitStatus> wait(std::chrono::milliseconds timeout);

  /// SIGTERM, then SIGKILL to the whole group after `grace`; returns when it is reaped.
  ExitStatus stop(std::chrono::milliseconds grace);

  void send_signal(int signal) const;

 private:
  explicit ChildProcess(pid_t pid, bool group) : pid_(pid), group_(group) {}
  pid_t pid_ = -1;
  bool group_ = true;
  std::optional<ExitStatus> status_;
};

/// Directory of the running executable: programs find each other beside themselves.
[[nodiscard]] std::string executable_folder();

}  // namespace autokernel::system
