import math

import torch
import torch.nn as nn


class Model(nn.Module):
    """Causal self-attention with several heads, as in a small language model."""

    def __init__(self, width: int, heads: int):
        super().__init__()
        self.heads = heads
        self.to_qkv = nn.Linear(width, 3 * width)
        self.to_out = nn.Linear(width, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, length, width = x.shape
        q, k, v = self.to_qkv(x).chunk(3, dim=-1)
        q, k, v = (part.reshape(batch, length, self.heads, -1).transpose(1, 2) for part in (q, k, v))
        scores = q @ k.transpose(-2, -1) / math.sqrt(width // self.heads)
        future = torch.ones(length, length, dtype=torch.bool, device=x.device).triu(1)
        weights = scores.masked_fill(future, float("-inf")).softmax(dim=-1)
        return self.to_out((weights @ v).transpose(1, 2).reshape(batch, length, width))


batch_size = 4
length = 64
width = 96
heads = 4


def get_inputs():
    return [torch.randn(batch_size, length, width)]


def get_init_inputs():
    return [width, heads]
