"""Right, in Triton. On a CPU it runs under Triton's interpreter (TRITON_INTERPRET=1), slowly but with the same result."""
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def relu_kernel(x, y, count, BLOCK: tl.constexpr):
    places = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = places < count
    value = tl.load(x + places, mask=inside)
    # A comparison with NaN is false, so NaN stays NaN as in torch.relu.
    tl.store(y + places, tl.where(value < 0.0, 0.0, value), mask=inside)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        y = torch.empty_like(x)
        # The interpreter pays for each program, a GPU for each element: so few, large programs there.
        block = 1024 if x.is_cuda else 131072
        relu_kernel[(triton.cdiv(x.numel(), block),)](x, y, x.numel(), BLOCK=block)
        return y
