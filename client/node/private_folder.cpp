#include "client/node/private_folder.hpp"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace autokernel::client {
namespace {

constexpr const char* kPrefix = "/tmp/autokernel-run-";

}  // namespace

Result<PrivateFolder> PrivateFolder::make() {
  std::string path = std::string(kPrefix) + "XXXXXX";
  if (::mkdtemp(path.data()) == nullptr) {  // 0700 by itself
    return fail(Code::kUnavailable, "cannot create a folder for sockets under /tmp: {}", std::strerror(errno));
  }
  return PrivateFolder(path);
}

PrivateFolder::~PrivateFolder() {
  if (path_.empty()) return;
  std::error_code error;
  std::filesystem::remove_all(path_, error);
}

void PrivateFolder::remove_leftover(const std::filesystem::path& path) {
  const std::string text = path.string();
  if (text.rfind(kPrefix, 0) != 0 || text.find('/', std::strlen(kPrefix)) != std::string::npos) return;
  struct stat status {};
  if (::lstat(text.c_str(), &status) != 0 || !S_ISDIR(status.st_mode) || status.st_uid != ::geteuid()) return;
  std::error_code error;
  std::filesystem::remove_all(path, error);
}

}  // namespace autokernel::client
