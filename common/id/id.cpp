#include "common/id/id.hpp"

#include <fmt/format.h>

namespace autokernel {

std::string to_string(const LeaseToken& token) { return fmt::format("{}-{}", token.epoch.value, token.number); }

}  // namespace autokernel
