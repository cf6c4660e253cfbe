#include "client/node/programs.hpp"

#include <cstdlib>

#include "common/system/process.hpp"

namespace autokernel::client {

std::string program_path(const std::string& name) { return system::executable_folder() + "/" + name; }

std::string cache_folder() {
  if (const char* named = std::getenv("AUTOKERNEL_CACHE_DIR"); named != nullptr && *named != '\0') return named;
  const char* home = std::getenv("HOME");
  return std::string(home != nullptr && *home != '\0' ? home : "/tmp") + "/.cache/autokernel";
}

}  // namespace autokernel::client
