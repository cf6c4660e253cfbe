"""Right, CUDA through torch's load_inline, the usual form of a KernelBench candidate. Needs a CUDA device; the build includes
torch's headers and takes the better part of a minute, which the worker's builders spend on a CPU core."""
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA_SOURCE = r"""
#include <c10/cuda/CUDAStream.h>
#include <torch/extension.h>

__global__ void relu_kernel(const float* in, float* out, int64_t count) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) out[i] = in[i] < 0.0f ? 0.0f : in[i];
}

torch::Tensor relu_forward(torch::Tensor x) {
  auto dense = x.contiguous();
  auto y = torch::empty_like(dense);
  const int64_t count = dense.numel();
  const int threads = 256;
  if (count > 0) {
    const auto blocks = static_cast<unsigned int>((count + threads - 1) / threads);
    relu_kernel<<<blocks, threads, 0, c10::cuda::getCurrentCUDAStream()>>>(dense.data_ptr<float>(), y.data_ptr<float>(), count);
  }
  return y;
}
"""

extension = load_inline(
    name="sample_relu",
    cpp_sources="torch::Tensor relu_forward(torch::Tensor x);",
    cuda_sources=CUDA_SOURCE,
    functions=["relu_forward"],
)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return extension.relu_forward(x)
