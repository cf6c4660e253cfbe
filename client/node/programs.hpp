#pragma once

#include <string>

namespace autokernel::client {

/// The path of one of our programs: beside this one.
[[nodiscard]] std::string program_path(const std::string& name);

/// Where worker nodes keep what is worth keeping: $AUTOKERNEL_CACHE_DIR, else ~/.cache/autokernel.
[[nodiscard]] std::string cache_folder();

}  // namespace autokernel::client
