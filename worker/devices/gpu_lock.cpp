#include "worker/devices/gpu_lock.hpp"

#include <sys/stat.h>
#include <unistd.h>

namespace autokernel::devices {

Result<std::filesystem::path> gpu_lock_folder(const std::filesystem::path& cache) {
  const std::filesystem::path common = "/run/autokernel";
  std::error_code error;
  if (std::filesystem::create_directory(common, error)) ::chmod(common.c_str(), 01777);
  if (::access(common.c_str(), W_OK | X_OK) == 0) return common;
  AUTOKERNEL_TRY(system::make_folders(cache / "locks"));
  return cache / "locks";
}

Result<std::vector<system::FileLock>> lock_gpus(const std::vector<Device>& devices,
                                                const std::filesystem::path& folder) {
  std::vector<system::FileLock> locks;
  for (const Device& device : devices) {
    if (device.kind == protocol::DeviceKind::kCpu) continue;
    const auto path = folder / fmt::format("gpu-{}.lock", device.id);
    AUTOKERNEL_TRY_ASSIGN(auto lock, system::FileLock::try_acquire(path));
    if (!lock) {
      return fail(
          Code::kUnavailable,
          "{} ({}) is busy: another worker, or a process it left behind, holds '{}'. Stop that worker (fuser -v on "
          "the file shows who it is), or choose another GPU with --devices",
          device.flag(), device.name, path.string());
    }
    locks.push_back(*std::move(lock));
  }
  return locks;
}

}  // namespace autokernel::devices
