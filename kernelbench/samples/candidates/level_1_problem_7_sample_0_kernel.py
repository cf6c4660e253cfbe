"""Right: picks by torch.where, so that the mask stays boolean and an infinity outside of it does no harm."""
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        zero = torch.zeros((), dtype=x.dtype, device=x.device)
        return torch.where(mask, x, zero).sum(dim=1) / mask.sum(dim=1).clamp(min=1)
