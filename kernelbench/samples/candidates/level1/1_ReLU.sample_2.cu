// Right, native CUDA: the same C function, which queues a kernel on the caller's stream and returns without waiting for it.
// nvcc needs about a second for it, because no torch header is included.
#include <autokernel/kernel.h>

#include <cstdio>
#include <cuda_runtime.h>

__global__ void relu_kernel(const float* in, float* out, int64_t count) {
  const int64_t stride = static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += stride) {
    out[i] = in[i] < 0.0F ? 0.0F : in[i];
  }
}

AUTOKERNEL_KERNEL(const AutokernelCall* call) {
  const AutokernelTensor& x = call->inputs[0].tensor;
  int64_t count = 1;
  for (int32_t axis = 0; axis < x.ndim; ++axis) count *= x.shape[axis];
  if (count == 0) return 0;

  constexpr int kThreads = 256;
  const int64_t wanted = (count + kThreads - 1) / kThreads;
  const int blocks = static_cast<int>(wanted < 65535 ? wanted : 65535);
  relu_kernel<<<blocks, kThreads, 0, static_cast<cudaStream_t>(call->stream)>>>(
      static_cast<const float*>(x.data), static_cast<float*>(call->outputs[0].data), count);

  const cudaError_t error = cudaGetLastError();
  if (error == cudaSuccess) return 0;
  std::snprintf(call->message, call->message_size, "relu_kernel: %s", cudaGetErrorString(error));
  return 1;
}
