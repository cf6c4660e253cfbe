import torch
import torch.nn as nn


class Model(nn.Module):
    """A tanh RNN over a short sequence. Returns the outputs of every step and the last state, so a tuple of two tensors."""

    def __init__(self, in_features: int, hidden: int, out_features: int):
        super().__init__()
        self.from_input = nn.Linear(in_features, hidden)
        self.from_hidden = nn.Linear(hidden, hidden, bias=False)
        self.to_output = nn.Linear(hidden, out_features)

    def forward(self, x: torch.Tensor, state: torch.Tensor):
        outputs = []
        for step in range(x.shape[0]):
            state = torch.tanh(self.from_input(x[step]) + self.from_hidden(state))
            outputs.append(self.to_output(state))
        return torch.stack(outputs), state


steps = 12
batch_size = 32
in_features = 48
hidden = 64
out_features = 24


def get_inputs():
    return [torch.randn(steps, batch_size, in_features), torch.randn(batch_size, hidden)]


def get_init_inputs():
    return [in_features, hidden, out_features]
