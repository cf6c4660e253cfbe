import torch
import torch.nn as nn


class Model(nn.Module):
    """Keeps what is positive and replaces the rest by zero."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(x)


batch_size = 64
features = 16384


def get_inputs():
    # Normal, not uniform: on [0, 1) returning the input would be a right answer.
    return [torch.randn(batch_size, features)]


def get_init_inputs():
    return []
