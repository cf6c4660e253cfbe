"""Right: layer normalisation by its definition. The parameters have the reference's names and shapes and are drawn in the same
order, so that the same seed gives the same weights."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, features: int):
        super().__init__()
        self.norm = nn.LayerNorm(features)
        nn.init.normal_(self.norm.weight)
        nn.init.normal_(self.norm.bias)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.layer_norm(x, x.shape[-1:], self.norm.weight, self.norm.bias, self.norm.eps)
