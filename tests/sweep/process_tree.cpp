#include "tests/sweep/process_tree.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <thread>

namespace autokernel::test {
namespace {

struct Seen {
  pid_t parent = 0;
  char state = '?';
  std::string name;  ///< of the executable's file
};

/// /proc/PID/stat: "pid (name) state parent …"; the name in it is cut at 15 letters, so the executable's path serves.
std::optional<Seen> look_at(const std::filesystem::path& entry) {
  std::ifstream file(entry / "stat");
  std::string text;
  if (!std::getline(file, text)) return std::nullopt;
  const auto close = text.rfind(')');
  if (close == std::string::npos) return std::nullopt;
  std::istringstream rest(text.substr(close + 1));
  Seen seen;
  rest >> seen.state >> seen.parent;
  std::error_code error;
  seen.name = std::filesystem::read_symlink(entry / "exe", error).filename().string();
  return seen;
}

std::map<pid_t, Seen> all_processes() {
  std::map<pid_t, Seen> processes;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    const std::string name = entry.path().filename().string();
    pid_t pid = 0;
    const auto [end, failed] = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (failed != std::errc() || end != name.data() + name.size()) continue;
    if (const auto seen = look_at(entry.path())) processes[pid] = *seen;
  }
  return processes;
}

}  // namespace

std::optional<pid_t> child_running(pid_t parent, const std::string& program) {
  for (const auto& [pid, seen] : all_processes()) {
    // redis-server may be a link to redis-check-rdb's twin: the beginning of the name decides.
    if (seen.parent == parent && seen.state != 'Z' && seen.name.rfind(program.substr(0, 6), 0) == 0 &&
        (seen.name == program || program.rfind("redis", 0) == 0)) {
      return pid;
    }
  }
  return std::nullopt;
}

std::vector<pid_t> descendants(pid_t parent) {
  const auto processes = all_processes();
  std::vector<pid_t> found;
  std::vector<pid_t> parents{parent};
  while (!parents.empty()) {
    const pid_t current = parents.back();
    parents.pop_back();
    for (const auto& [pid, seen] : processes) {
      if (seen.parent != current) continue;
      found.push_back(pid);
      parents.push_back(pid);
    }
  }
  return found;
}

bool all_gone(const std::vector<pid_t>& processes) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (std::chrono::steady_clock::now() < deadline) {
    const bool gone = std::all_of(processes.begin(), processes.end(), [](pid_t pid) {
      const auto seen = look_at("/proc/" + std::to_string(pid));
      return !seen || seen->state == 'Z' || seen->state == 'X';
    });
    if (gone) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return false;
}

}  // namespace autokernel::test
