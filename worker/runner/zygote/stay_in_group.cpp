#include "worker/runner/zygote/stay_in_group.hpp"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <array>
#include <cerrno>
#include <cstddef>

namespace autokernel::runner {
namespace {

#if defined(__x86_64__)
constexpr unsigned kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr unsigned kArchitecture = AUDIT_ARCH_AARCH64;
#else
#error "name this machine's AUDIT_ARCH"
#endif
/// x86-64 has a second numbering of the same calls from here on (x32).
constexpr unsigned kOtherNumbering = 0x40000000;

constexpr sock_filter load(std::size_t offset) {
  return {BPF_LD | BPF_W | BPF_ABS, 0, 0, static_cast<unsigned>(offset)};
}
constexpr sock_filter answer(unsigned action) { return {BPF_RET | BPF_K, 0, 0, action}; }
/// The next instruction where it holds, else the one after `skip` more.
constexpr sock_filter unless_equal(unsigned value, unsigned char skip) {
  return {BPF_JMP | BPF_JEQ | BPF_K, 0, skip, value};
}
constexpr sock_filter unless_at_least(unsigned value, unsigned char skip) {
  return {BPF_JMP | BPF_JGE | BPF_K, 0, skip, value};
}

}  // namespace

bool stay_in_group() {
  constexpr unsigned kNoSuchCall = SECCOMP_RET_ERRNO | ENOSYS;
  constexpr unsigned kPretend = SECCOMP_RET_ERRNO | 0U;
  std::array filter = {
      // The 32-bit calls have numbers of their own: none of them, rather than a way around.
      load(offsetof(seccomp_data, arch)),
      sock_filter{BPF_JMP | BPF_JEQ | BPF_K, 1, 0, kArchitecture},
      answer(kNoSuchCall),
      load(offsetof(seccomp_data, nr)),
      unless_at_least(kOtherNumbering, 1),
      answer(kNoSuchCall),
      unless_equal(__NR_setsid, 1),
      answer(kPretend),
      unless_equal(__NR_setpgid, 1),
      answer(kPretend),
      answer(SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}

}  // namespace autokernel::runner
