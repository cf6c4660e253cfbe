// Right, native CUDA: a matrix product in shared-memory tiles, summed in float32 as the reference's is.
#include <autokernel/kernel.h>

#include <cstdio>
#include <cuda_runtime.h>

constexpr int kTile = 16;

__global__ void matmul_kernel(const float* a, const float* b, float* c, int64_t rows, int64_t depth, int64_t columns) {
  __shared__ float tile_a[kTile][kTile];
  __shared__ float tile_b[kTile][kTile];
  const int64_t row = static_cast<int64_t>(blockIdx.y) * kTile + threadIdx.y;
  const int64_t column = static_cast<int64_t>(blockIdx.x) * kTile + threadIdx.x;
  float sum = 0.0F;
  for (int64_t start = 0; start < depth; start += kTile) {
    const int64_t along_a = start + threadIdx.x;
    const int64_t along_b = start + threadIdx.y;
    tile_a[threadIdx.y][threadIdx.x] = row < rows && along_a < depth ? a[row * depth + along_a] : 0.0F;
    tile_b[threadIdx.y][threadIdx.x] = along_b < depth && column < columns ? b[along_b * columns + column] : 0.0F;
    __syncthreads();
    for (int i = 0; i < kTile; ++i) sum += tile_a[threadIdx.y][i] * tile_b[i][threadIdx.x];
    __syncthreads();
  }
  if (row < rows && column < columns) c[row * columns + column] = sum;
}

AUTOKERNEL_KERNEL(const AutokernelCall* call) {
  const AutokernelTensor& a = call->inputs[0].tensor;
  const AutokernelTensor& b = call->inputs[1].tensor;
  const int64_t rows = a.shape[0];
  const int64_t depth = a.shape[1];
  const int64_t columns = b.shape[1];
  if (rows == 0 || columns == 0) return 0;

  const dim3 threads(kTile, kTile);
  const dim3 blocks(static_cast<unsigned>((columns + kTile - 1) / kTile), static_cast<unsigned>((rows + kTile - 1) / kTile));
  matmul_kernel<<<blocks, threads, 0, static_cast<cudaStream_t>(call->stream)>>>(
      static_cast<const float*>(a.data), static_cast<const float*>(b.data), static_cast<float*>(call->outputs[0].data), rows,
      depth, columns);

  const cudaError_t error = cudaGetLastError();
  if (error == cudaSuccess) return 0;
  std::snprintf(call->message, call->message_size, "matmul_kernel: %s", cudaGetErrorString(error));
  return 1;
}
