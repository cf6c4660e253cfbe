#include <memory>

#include "worker/runner/device/cpu_device.hpp"
#include "worker/runner/device/device.hpp"
#ifdef AUTOKERNEL_WITH_CUDA
#include "worker/runner/device/cuda_device.hpp"
#endif

namespace autokernel::runner {

Result<std::unique_ptr<Device>> open_device(protocol::DeviceKind kind) {
  switch (kind) {
    case protocol::DeviceKind::kAny:
    case protocol::DeviceKind::kCpu: return std::make_unique<CpuDevice>();
    case protocol::DeviceKind::kCuda:
#ifdef AUTOKERNEL_WITH_CUDA
      return open_cuda_device();
#else
      return fail(Code::kInvalid, "this autokernel-runner was built without CUDA: configure with -DAUTOKERNEL_CUDA=ON");
#endif
    case protocol::DeviceKind::kHip: return fail(Code::kInvalid, "this autokernel-runner has no HIP device");
  }
  return fail(Code::kInternal, "unknown device kind");
}

}  // namespace autokernel::runner
