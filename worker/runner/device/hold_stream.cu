#include <cuda_runtime.h>

#include "worker/runner/device/hold_stream.hpp"

namespace autokernel::runner {
namespace {

__device__ unsigned long long device_nanoseconds() {
#if defined(__HIP_PLATFORM_AMD__)
  return wall_clock64() * 10ULL;  // a counter of 100 MHz
#else
  unsigned long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
#endif
}

__global__ void hold(unsigned long long nanoseconds) {
  const unsigned long long begin = device_nanoseconds();
  while (device_nanoseconds() - begin < nanoseconds) {
  }
}

}  // namespace

int hold_stream(void* stream, double microseconds) {
  hold<<<1, 1, 0, static_cast<cudaStream_t>(stream)>>>(static_cast<unsigned long long>(microseconds * 1000.0));
  return static_cast<int>(cudaGetLastError());
}

}  // namespace autokernel::runner
