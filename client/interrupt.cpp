#include "client/interrupt.hpp"

#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>

#include "common/result/result.hpp"

namespace autokernel::client {
namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};

volatile sig_atomic_t requests = 0;
int wake_fd = -1;

void on_signal(int /*signal*/) {
  requests = requests + 1;
  if (requests > 1) ::_exit(kInterruptedExitCode);
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(wake_fd, &one, sizeof one);
}

void install(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  ::sigemptyset(&action.sa_mask);
  for (const int signal : kSignals) ::sigaction(signal, &action, nullptr);
}

}  // namespace

Interrupt::Interrupt() : fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  AUTOKERNEL_CHECK(fd_ >= 0 && wake_fd < 0);
  wake_fd = fd_;
  requests = 0;
  install(on_signal);
}

Interrupt::~Interrupt() {
  install(SIG_DFL);
  wake_fd = -1;
  ::close(fd_);
}

bool Interrupt::requested() const { return requests > 0; }

}  // namespace autokernel::client
