"""Linear maps of the reader in the fastest arithmetic of the hardware."""

from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from medassay.models.processor import Arithmetic, lays_out_bfloat16

_LAID_OUT_FOR = 1024
"""Rows of a product that oneDNN chooses its layout for."""

_WEIGHT_STEPS = 63
"""Weights are integers of seven bits: without VNNI two products of eight bits each overflow the 16 that hold them."""


def state_dtype(arithmetic: Arithmetic) -> torch.dtype:
    """Return the dtype of what is not multiplied by weights: embeddings, norms, residuals."""
    return torch.bfloat16 if arithmetic == "bfloat16" else torch.float32


def linear(weight: Tensor, bias: Tensor | None, arithmetic: Arithmetic) -> "Linear":
    """Return the map x → Wx + b of a weight of shape (outputs, inputs).

    Maps with more inputs than outputs stay in float32 where the others are int8: those of the gated map's result differ
    by factors of a hundred, and 8 bits leave the small ones no steps (`benchmarks/reader_speed.py` has the difference).
    """
    if arithmetic == "int8" and weight.shape[1] <= weight.shape[0]:
        return Int8(weight, bias)
    if arithmetic == "bfloat16" and weight.device.type == "cpu" and lays_out_bfloat16():
        return LaidOut(weight, bias)
    return Linear(weight, bias)


class Linear:
    """A linear map (…, inputs) → (…, outputs), and what may be done to its result."""

    def __init__(self, weight: Tensor, bias: Tensor | None) -> None:
        self.weight, self.bias = weight, bias

    def __call__(self, x: Tensor) -> Tensor:
        """Return Wx + b."""
        return functional.linear(x, self.weight, self.bias)

    def silu(self, x: Tensor) -> Tensor:
        """Return the sigmoid-weighted linear unit of Wx + b."""
        return functional.silu(self(x), inplace=True)

    def times(self, x: Tensor, other: Tensor) -> Tensor:
        """Return (Wx + b) · other, elementwise."""
        return self(x).mul_(other)

    def plus(self, x: Tensor, other: Tensor) -> Tensor:
        """Return Wx + b + other."""
        return self(x).add_(other)


class LaidOut(Linear):
    """In bfloat16, the weight in oneDNN's layout; what is done to the result is done in the same pass over memory.

    The operators are those that torch's own compiler fuses linear maps with; they have no public name.
    """

    def __init__(self, weight: Tensor, bias: Tensor | None) -> None:
        operators: Any = torch.ops.mkldnn
        super().__init__(operators._reorder_linear_weight(weight, _LAID_OUT_FOR), bias)
        self.product: Any = operators._linear_pointwise

    def __call__(self, x: Tensor) -> Tensor:
        """Return Wx + b."""
        return self.product(x, self.weight, self.bias, "none", [], "")  # type: ignore[no-any-return]

    def silu(self, x: Tensor) -> Tensor:
        """Return the sigmoid-weighted linear unit of Wx + b."""
        return self.product(x, self.weight, self.bias, "swish", [], "")  # type: ignore[no-any-return]

    def times(self, x: Tensor, other: Tensor) -> Tensor:
        """Return (Wx + b) · other, elementwise."""
        return self.product.binary(x, other, self.weight, self.bias, "mul")  # type: ignore[no-any-return]

    def plus(self, x: Tensor, other: Tensor) -> Tensor:
        """Return Wx + b + other."""
        return self.product.binary(x, other, self.weight, self.bias, "add")  # type: ignore[no-any-return]


class Int8(Linear):
    """Integers times integers: weights with a scale an output, inputs with a scale a token.

    Sums of products are exact, so that the result does not depend on the processor but for the rounding of the scales.
    """

    def __init__(self, weight: Tensor, bias: Tensor | None) -> None:
        operators: Any = torch.ops.onednn
        n_outputs, n_inputs = weight.shape
        self.scale = weight.abs().amax(dim=1).clamp_(min=1e-12) / _WEIGHT_STEPS
        values = (weight / self.scale[:, None]).round_().to(torch.int8)
        super().__init__(operators.qlinear_prepack(values, [_LAID_OUT_FOR, n_inputs]), bias)
        self.zeros = torch.zeros(n_outputs, dtype=torch.long)
        self.product: Any = operators.qlinear_pointwise

    def __call__(self, x: Tensor) -> Tensor:
        """Return Wx + b."""
        scale = x.abs().amax(dim=1, keepdim=True).clamp_(min=1e-12) / 127
        steps = (x / scale).round_().add_(128).to(torch.uint8)
        rest: Any = (self.scale, self.zeros, None, 1.0, 0, torch.float32, "none", [], "")
        y: Tensor = self.product(steps, 1.0, 128, self.weight, *rest).mul_(scale)
        return y if self.bias is None else y.add_(self.bias)
