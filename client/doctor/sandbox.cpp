#include <linux/landlock.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "client/doctor/finding.hpp"
#include "common/system/file.hpp"

namespace autokernel::client {
namespace {

Finding layer(const char* name, bool found, const std::string& detail, const std::string& remedy) {
  return Finding{name, found, false, detail, found ? "" : remedy};
}

/// Tried in a child: the answer of sysctl files is not the whole truth (AppArmor, containers).
Finding user_namespaces() {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(::unshare(CLONE_NEWUSER) == 0 ? 0 : errno);
  int status = 0;
  const bool ran = child > 0 && ::waitpid(child, &status, 0) == child && WIFEXITED(status);
  const int error = ran ? WEXITSTATUS(status) : EAGAIN;
  return layer("user namespaces", error == 0, error == 0 ? "there, not used by this version" : std::strerror(error),
               user_namespaces_remedy(::geteuid() == 0));
}

Finding landlock() {
  const long version = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  return layer("landlock", version > 0,
               version > 0 ? fmt::format("ABI {}, not used by this version", version)
                           : "this kernel has it off, or is older than 5.13",
               "add landlock to the kernel's lsm= parameter");
}

Finding seccomp() {
  const auto actions = system::read_file("/proc/sys/kernel/seccomp/actions_avail", 4096);
  const bool found = actions && actions->find("errno") != std::string::npos;
  return layer("seccomp", found, found ? "there, not used by this version" : "this kernel has no seccomp filters", "");
}

}  // namespace

std::string user_namespaces_remedy(bool is_root) {
  const std::string settings = "sysctl kernel.apparmor_restrict_unprivileged_userns=0 user.max_user_namespaces=10000";
  return settings +
         (is_root ? " (in a container: on its host, and let its seccomp profile allow unshare)" : " (or run as root)");
}

std::vector<Finding> examine_sandbox() { return {user_namespaces(), landlock(), seccomp()}; }

}  // namespace autokernel::client
