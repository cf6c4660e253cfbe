"""Right: the largest of four strided views, one for each corner of the tiles."""
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        height = x.shape[2] // 2 * 2
        width = x.shape[3] // 2 * 2
        upper = torch.maximum(x[:, :, 0:height:2, 0:width:2], x[:, :, 0:height:2, 1:width:2])
        lower = torch.maximum(x[:, :, 1:height:2, 0:width:2], x[:, :, 1:height:2, 1:width:2])
        return torch.maximum(upper, lower)
