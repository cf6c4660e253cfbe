"""Right: scores and scaling in one baddbmm, over heads folded into the batch."""
import math

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, width: int, heads: int):
        super().__init__()
        self.heads = heads
        self.to_qkv = nn.Linear(width, 3 * width)
        self.to_out = nn.Linear(width, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, length, width = x.shape
        size = width // self.heads
        qkv = self.to_qkv(x).reshape(batch, length, 3, self.heads, size).permute(2, 0, 3, 1, 4)
        q, k, v = qkv.reshape(3, batch * self.heads, length, size)
        future = torch.full((length, length), float("-inf"), dtype=x.dtype, device=x.device).triu_(1)
        scores = torch.baddbmm(future.unsqueeze(0), q, k.transpose(1, 2), alpha=1.0 / math.sqrt(size))
        mixed = torch.bmm(scores.softmax(dim=-1), v)
        return self.to_out(mixed.reshape(batch, self.heads, length, size).transpose(1, 2).reshape(batch, length, width))
