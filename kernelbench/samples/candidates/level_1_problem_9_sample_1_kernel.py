"""Hangs: waits for something that never comes, as a kernel spinning on a flag does. It ends when its time is over (--timeout)."""
import time

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        while True:
            time.sleep(0.1)
