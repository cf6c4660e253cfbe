import torch
import torch.nn as nn


class Model(nn.Module):
    """A perceptron with two hidden layers."""

    def __init__(self, sizes: list):
        super().__init__()
        layers = []
        for width_in, width_out in zip(sizes[:-2], sizes[1:-1]):
            layers += [nn.Linear(width_in, width_out), nn.ReLU()]
        layers.append(nn.Linear(sizes[-2], sizes[-1]))
        self.layers = nn.Sequential(*layers)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layers(x)


batch_size = 64
sizes = [128, 256, 192, 10]


def get_inputs():
    return [torch.randn(batch_size, sizes[0])]


def get_init_inputs():
    return [sizes]
