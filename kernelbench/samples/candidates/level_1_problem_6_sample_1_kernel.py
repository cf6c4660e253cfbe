"""Crashes: reads from address 0, as a kernel with a wrong pointer does. The candidate's process dies; the judge's does not."""
import ctypes

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, logits: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        ctypes.string_at(0)
        return torch.zeros(targets.shape, device=logits.device)
