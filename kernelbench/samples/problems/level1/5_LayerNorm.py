import torch
import torch.nn as nn


class Model(nn.Module):
    """Layer normalisation of the last dimension, with a scale and a shift for each feature."""

    def __init__(self, features: int):
        super().__init__()
        self.norm = nn.LayerNorm(features)
        # Ones and zeros would hide a kernel that forgets them.
        nn.init.normal_(self.norm.weight)
        nn.init.normal_(self.norm.bias)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.norm(x)


batch_size = 256
features = 512


def get_inputs():
    return [torch.randn(batch_size, features)]


def get_init_inputs():
    return [features]
