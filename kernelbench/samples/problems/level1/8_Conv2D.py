import torch
import torch.nn as nn


class Model(nn.Module):
    """A 3x3 convolution that keeps the size of the image."""

    def __init__(self, in_channels: int, out_channels: int):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size=3, padding=1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.conv(x)


batch_size = 4
in_channels = 8
out_channels = 16
side = 48


def get_inputs():
    return [torch.randn(batch_size, in_channels, side, side)]


def get_init_inputs():
    return [in_channels, out_channels]
