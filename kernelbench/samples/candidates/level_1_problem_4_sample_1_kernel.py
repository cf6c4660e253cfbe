"""Nondeterministic: sums in an order that changes from call to call, as kernels with atomics do. Every result is within the
tolerance, but three runs on the same inputs differ in their last bits. The order comes from the system's entropy, so that no
seed repeats it."""
import os

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        start = 1 + int.from_bytes(os.urandom(2), "little") % (x.shape[1] - 1)
        return torch.roll(x, shifts=start, dims=1).sum(dim=1, keepdim=True)
