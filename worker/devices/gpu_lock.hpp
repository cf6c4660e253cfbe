#pragma once

#include <filesystem>
#include <vector>

#include "common/system/file.hpp"
#include "worker/devices/device.hpp"

namespace autokernel::devices {

/// Where GPU locks lie: /run/autokernel where this user may write there, else `cache`/locks. Workers of different users
/// exclude one another only in the first case.
[[nodiscard]] Result<std::filesystem::path> gpu_lock_folder(const std::filesystem::path& cache);

/// One flock per GPU, held for as long as this process or anything that inherited the descriptor lives: a killed
/// agent's runner still guards its GPU, which a record lock (fcntl) would not. kUnavailable: another worker has it; the
/// message names the lock file.
[[nodiscard]] Result<std::vector<system::FileLock>> lock_gpus(const std::vector<Device>& devices,
                                                              const std::filesystem::path& folder);

}  // namespace autokernel::devices
