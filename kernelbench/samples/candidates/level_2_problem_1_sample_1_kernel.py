"""Right, C++ through load_inline without any device code, so that it runs on a CPU as well as on a GPU. One C++ call for the
whole forward saves Python's overhead between the operators."""
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CPP_SOURCE = r"""
torch::Tensor linear_gelu_scale(torch::Tensor x, torch::Tensor weight, torch::Tensor bias, double factor) {
  auto hidden = at::addmm(bias, x, weight.t());
  return at::gelu_(hidden).mul_(factor);
}
"""

extension = load_inline(name="sample_linear_gelu_scale", cpp_sources=CPP_SOURCE, functions=["linear_gelu_scale"])


class ModelNew(nn.Module):
    def __init__(self, in_features: int, out_features: int, factor: float):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features)
        self.factor = factor

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        with torch.no_grad():
            return extension.linear_gelu_scale(x, self.linear.weight, self.linear.bias, self.factor)
