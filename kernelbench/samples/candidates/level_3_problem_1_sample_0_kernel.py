"""Right: the layers as plain products with ReLU in place. The modules keep the reference's structure, for its weights."""
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, sizes: list):
        super().__init__()
        layers = []
        for width_in, width_out in zip(sizes[:-2], sizes[1:-1]):
            layers += [nn.Linear(width_in, width_out), nn.ReLU()]
        layers.append(nn.Linear(sizes[-2], sizes[-1]))
        self.layers = nn.Sequential(*layers)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        linears = [layer for layer in self.layers if isinstance(layer, nn.Linear)]
        for layer in linears[:-1]:
            x = torch.addmm(layer.bias, x, layer.weight.t()).relu_()
        return torch.addmm(linears[-1].bias, x, linears[-1].weight.t())
