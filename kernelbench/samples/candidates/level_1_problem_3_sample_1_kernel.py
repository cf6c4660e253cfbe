"""Unstable: the textbook formula. Right for inputs of ordinary size, infinity over infinity for large ones, so that it passes
KernelBench's check (`correct`) and fails the stability stage."""
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        powers = torch.exp(x)
        return powers / powers.sum(dim=-1, keepdim=True)
