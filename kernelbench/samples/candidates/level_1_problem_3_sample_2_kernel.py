"""Wrong dtype: computes in float32 and returns float16, which halves the traffic and changes the type that callers get."""
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.softmax(x, dim=-1).half()
