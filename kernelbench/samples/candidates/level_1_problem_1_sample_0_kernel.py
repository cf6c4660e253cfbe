"""Right, in plain PyTorch: ReLU as a clamp from below. The smallest candidate there can be."""
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.clamp_min(0.0)
