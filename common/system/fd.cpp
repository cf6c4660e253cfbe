#include "common/system/fd.hpp"

#include <unistd.h>

namespace autokernel::system {

void UniqueFd::reset() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

}  // namespace autokernel::system
