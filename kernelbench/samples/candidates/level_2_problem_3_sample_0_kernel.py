"""Right: adds the residual in place, then normalises by the functional form."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, features: int):
        super().__init__()
        self.linear = nn.Linear(features, features)
        self.norm = nn.LayerNorm(features)

    def forward(self, x: torch.Tensor, residual: torch.Tensor) -> torch.Tensor:
        hidden = self.linear(x).add_(residual)
        return F.layer_norm(hidden, hidden.shape[-1:], self.norm.weight, self.norm.bias, self.norm.eps)
