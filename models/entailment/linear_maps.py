"""Linear maps whose weights lie as the processor reads them, laid out once at load and not at every call."""

from typing import Any

import torch
from torch import Tensor, nn

_TOKENS = 1024


class PackedLinear(nn.Module):
    """A bfloat16 linear map in oneDNN's own layout: the same products, a tenth quicker on short texts."""

    def __init__(self, linear: nn.Linear) -> None:
        super().__init__()
        self.weight = torch.ops.mkldnn._reorder_linear_weight(linear.weight.detach(), _TOKENS)
        self.bias = None if linear.bias is None else linear.bias.detach()

    def forward(self, x: Tensor) -> Tensor:
        """Map (…, inputs) to (…, outputs)."""
        mapped: Tensor = torch.ops.mkldnn._linear_pointwise(x, self.weight, self.bias, "none", [], "")
        return mapped


def pack_linear_maps(module: nn.Module) -> None:
    """Lay every linear map under a module out once, where this machine and this torch can; else leave them as they are.

    The operators are the ones torch's own compiler packs weights with; they have no public name.
    """
    if not _can_pack():
        return
    for parent in list(module.modules()):
        for name, child in list(parent.named_children()):
            if isinstance(child, nn.Linear) and _fits(child):
                setattr(parent, name, PackedLinear(child))


def _can_pack() -> bool:
    operators: Any = torch.ops.mkldnn
    return (
        bool(torch.backends.mkldnn.is_available())  # type: ignore[no-untyped-call]  # torch has no annotation here
        and hasattr(operators, "_reorder_linear_weight")
        and hasattr(operators, "_linear_pointwise")
    )


def _fits(linear: nn.Linear) -> bool:
    return linear.weight.dtype == torch.bfloat16 and linear.weight.device.type == "cpu"
