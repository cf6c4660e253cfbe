#include "common/config/version.hpp"

namespace autokernel::config {

std::string_view version() { return AUTOKERNEL_VERSION; }

}  // namespace autokernel::config
