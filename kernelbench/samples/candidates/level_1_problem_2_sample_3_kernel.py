"""Out of memory: asks for a workspace of a pebibyte."""
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        workspace = torch.empty(2**48, dtype=torch.float32, device=a.device)
        return torch.mm(a, b) + workspace[0] * 0.0
