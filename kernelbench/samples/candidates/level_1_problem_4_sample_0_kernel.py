"""Right: sums each row over its last dimension, by a different entry point than the reference's."""
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.sum(dim=-1).unsqueeze(-1)
