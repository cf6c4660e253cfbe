#include "tests/support/machine.hpp"

#include <unistd.h>

#include <cstdlib>
#include <sstream>
#include <string>

namespace autokernel::test {

bool has_program(std::string_view name) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (::access((folder + "/" + std::string(name)).c_str(), X_OK) == 0) return true;
  }
  return false;
}

bool is_ci() {
  const char* value = std::getenv("CI");
  return value != nullptr && std::string_view(value) == "true";
}

}  // namespace autokernel::test
