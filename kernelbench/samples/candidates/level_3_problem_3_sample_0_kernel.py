"""Right: the inputs of all steps go through their layer in one product before the loop, and all outputs in one after it; only
the recurrence itself stays step by step. Returns the same tuple as the reference."""
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, in_features: int, hidden: int, out_features: int):
        super().__init__()
        self.from_input = nn.Linear(in_features, hidden)
        self.from_hidden = nn.Linear(hidden, hidden, bias=False)
        self.to_output = nn.Linear(hidden, out_features)

    def forward(self, x: torch.Tensor, state: torch.Tensor):
        projected = self.from_input(x)
        recurrent = self.from_hidden.weight.t()
        states = []
        for step in range(x.shape[0]):
            state = torch.tanh(torch.addmm(projected[step], state, recurrent))
            states.append(state)
        return self.to_output(torch.stack(states)), state
