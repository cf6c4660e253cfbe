#include "common/system/process_group.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "common/system/fd.hpp"

namespace autokernel::system {
namespace {

/// What follows the command's name in a stat file: "S 4242 …", state and parent first. The name is in parentheses and
/// may hold anything, parentheses too. Empty when the process or thread is gone.
std::string stat_of(const std::string& path) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) return "";
  std::array<char, 512> bytes{};
  const ssize_t got = ::read(fd.get(), bytes.data(), bytes.size());
  if (got <= 0) return "";
  const std::string_view text(bytes.data(), static_cast<std::size_t>(got));
  const auto end = text.rfind(") ");
  return end == std::string_view::npos ? "" : std::string(text.substr(end + 2));
}

std::optional<pid_t> parent_of(pid_t process) {
  const std::string stat = stat_of("/proc/" + std::to_string(process) + "/stat");
  pid_t parent = 0;
  if (stat.size() < 3) return std::nullopt;
  const auto [end, error] = std::from_chars(stat.data() + 2, stat.data() + stat.size(), parent);
  if (error != std::errc()) return std::nullopt;
  return parent;
}

/// Running, or asleep and about to be woken by the stop. A system call that no signal interrupts (D) ends soon, when it
/// waits for a disk, or not before the group goes on, when it is a vfork whose child has been stopped too.
bool may_run(char state, bool soon) { return state == 'R' || state == 'S' || (state == 'D' && soon); }

bool any_thread_runs(pid_t leader, bool soon) {
  const std::string folder = "/proc/" + std::to_string(leader) + "/task";
  const std::unique_ptr<DIR, int (*)(DIR*)> threads(::opendir(folder.c_str()), ::closedir);
  if (!threads) return false;
  while (const dirent* entry = ::readdir(threads.get())) {
    if (entry->d_name[0] == '.') continue;
    const std::string stat = stat_of(folder + "/" + entry->d_name + "/stat");
    if (!stat.empty() && may_run(stat.front(), soon)) return true;
  }
  return false;
}

}  // namespace

Result<ProcessGroup> ProcessGroup::of_leader(pid_t leader, pid_t parent) {
  if (leader <= 1 || ::getpgid(leader) != leader) return fail(Code::kInvalid, "process {} leads no group", leader);
  if (parent != 0 && parent_of(leader) != parent) {
    return fail(Code::kInvalid, "process {} is no child of {}", leader, parent);
  }
  return ProcessGroup(leader);
}

Result<void> ProcessGroup::stop(std::chrono::milliseconds limit) const {
  if (::kill(-leader_, SIGSTOP) != 0) {
    return fail(errno == ESRCH ? Code::kNotFound : Code::kUnavailable, "process group {} cannot be stopped: {}",
                leader_, std::strerror(errno));
  }
  constexpr std::chrono::microseconds kLook{50};
  constexpr std::chrono::milliseconds kSoon{50};
  const auto begin = std::chrono::steady_clock::now();
  while (any_thread_runs(leader_, std::chrono::steady_clock::now() < begin + kSoon)) {
    if (std::chrono::steady_clock::now() >= begin + limit) {
      return fail(Code::kUnavailable, "process {} still runs {} ms after it was told to stop", leader_, limit.count());
    }
    std::this_thread::sleep_for(kLook);
  }
  return {};
}

void ProcessGroup::resume() const { ::kill(-leader_, SIGCONT); }

void ProcessGroup::kill() const { ::kill(-leader_, SIGKILL); }

}  // namespace autokernel::system
