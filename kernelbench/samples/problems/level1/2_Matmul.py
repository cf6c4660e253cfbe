import torch
import torch.nn as nn


class Model(nn.Module):
    """Product of two matrices whose shapes differ, so that a mixed-up axis shows."""

    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return torch.matmul(a, b)


rows = 192
depth = 256
columns = 320


def get_inputs():
    return [torch.randn(rows, depth), torch.randn(depth, columns)]


def get_init_inputs():
    return []
