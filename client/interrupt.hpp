#pragma once

namespace autokernel::client {

/// Ctrl-C (and SIGTERM, SIGHUP) as something the main loop sees. The second one ends the process at once; children die
/// with it. One per process, in the main thread.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  [[nodiscard]] bool requested() const;
  /// Becomes readable with the first one; for poll.
  [[nodiscard]] int fd() const { return fd_; }

 private:
  int fd_;
};

inline constexpr int kInterruptedExitCode = 130;

}  // namespace autokernel::client
