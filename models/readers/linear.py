"""Linear maps of the reader, in the arithmetic that is fastest on the hardware at hand."""

from typing import Any, Literal

import torch
from torch import Tensor
from torch.nn import functional

from medassay.models.processor import lays_out_bfloat16, multiplies_int8

Arithmetic = Literal["bfloat16", "float32", "int8"]

_LAID_OUT_FOR = 1024
"""Rows of a product that oneDNN chooses its layout for."""

_WEIGHT_STEPS = 63
"""Weights are integers of seven bits: without VNNI two products of eight bits each overflow the 16 that hold them."""

_INPUTS_A_SCALE = 1536
"""Inputs of a token that share a scale. The few inputs of thousands that are a hundred times as large as the rest are
then far from most others: with one scale for the 8,960 inputs of the last map the probabilities were off by .021 on
average, with one for 1,280 by .012 (60 pairs)."""


def arithmetic_on(device: str) -> Arithmetic:
    """Return how products are computed on "cpu" or "cuda": bfloat16, else int8, else float32."""
    from medassay.models.entailment.embedded import fast_dtype

    if fast_dtype(device) == torch.bfloat16:
        return "bfloat16"
    return "int8" if device == "cpu" and multiplies_int8() else "float32"


def state_dtype(arithmetic: Arithmetic) -> torch.dtype:
    """Return the dtype of what is not multiplied by weights: embeddings, norms, residuals."""
    return torch.bfloat16 if arithmetic == "bfloat16" else torch.float32


def linear(weight: Tensor, bias: Tensor | None, arithmetic: Arithmetic) -> "Linear":
    """Return the map x → Wx + b of a weight of shape (outputs, inputs)."""
    if arithmetic == "int8":
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
    """Integers times integers: weights with a scale an output, inputs with a scale a token and group of inputs.

    Sums of products are exact, so that the result does not depend on the processor but for the rounding of the scales.
    """

    def __init__(self, weight: Tensor, bias: Tensor | None) -> None:
        super().__init__(weight, bias)
        self.groups = [_PackedGroup(part.float()) for part in torch.split(weight, _INPUTS_A_SCALE, dim=1)]
        del self.weight

    def __call__(self, x: Tensor) -> Tensor:
        """Return Wx + b."""
        first, *others = zip(self.groups, torch.split(x, _INPUTS_A_SCALE, dim=1), strict=True)
        total = first[0](first[1])
        for group, part in others:
            total += group(part)
        return total if self.bias is None else total.add_(self.bias)


class _PackedGroup:
    """Some inputs' share of a product: weight (outputs, inputs of the group) as int8, one scale an output."""

    def __init__(self, weight: Tensor) -> None:
        operators: Any = torch.ops.onednn
        n_outputs, n_inputs = weight.shape
        self.scale = weight.abs().amax(dim=1).clamp_(min=1e-12) / _WEIGHT_STEPS
        values = (weight / self.scale[:, None]).round_().to(torch.int8)
        self.packed = operators.qlinear_prepack(values, [_LAID_OUT_FOR, n_inputs])
        self.zeros = torch.zeros(n_outputs, dtype=torch.long)
        self.product: Any = operators.qlinear_pointwise

    def __call__(self, x: Tensor) -> Tensor:
        """Return the product with x, shape (tokens, inputs of the group) → (tokens, outputs)."""
        scale = x.abs().amax(dim=1, keepdim=True).clamp_(min=1e-12) / 127
        steps = (x / scale).round_().add_(128).to(torch.uint8)
        rest: Any = (self.scale, self.zeros, None, 1.0, 0, torch.float32, "none", [], "")
        return self.product(steps, 1.0, 128, self.packed, *rest).mul_(scale)  # type: ignore[no-any-return]
