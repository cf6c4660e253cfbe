"""Cannot be loaded: imports a package that is nowhere installed."""
import torch
import torch.nn as nn

import a_package_that_is_not_there  # noqa: F401


class ModelNew(nn.Module):
    def __init__(self, in_channels: int, out_channels: int):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size=3, padding=1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.conv(x)
