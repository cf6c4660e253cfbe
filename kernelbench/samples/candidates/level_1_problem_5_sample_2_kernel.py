"""Fails when it runs: keeps the sums of all rows in a vector of the wrong length, and PyTorch refuses the subtraction."""
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, features: int):
        super().__init__()
        self.norm = nn.LayerNorm(features)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        mean = x.sum(dim=1) / x.shape[1]
        return (x - mean) * self.norm.weight + self.norm.bias
