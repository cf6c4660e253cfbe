"""Right: multiplies by the number as it came."""
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor, factor: float) -> torch.Tensor:
        return torch.mul(x, factor)
