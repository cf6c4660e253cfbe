"""Right: ReLU in place on the convolution's own output, then the mean over the image as one flattened dimension."""
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, in_channels: int, out_channels: int):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size=3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu_(self.conv(x)).flatten(2).mean(dim=2)
