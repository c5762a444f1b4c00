"""What this machine's processor multiplies, and whether it has a GPU beside it."""

from functools import cache
from pathlib import Path
from typing import Any


@cache
def multiplies_bfloat16() -> bool:
    """Say whether the processor has instructions for products of bfloat16; torch is not imported."""
    try:
        return "avx512_bf16" in Path("/proc/cpuinfo").read_text("utf-8", "replace")[:20_000]
    except OSError:
        return False


@cache
def has_gpu() -> bool:
    """Say whether an NVIDIA driver is loaded; torch is not imported."""
    return Path("/proc/driver/nvidia/version").exists()


@cache
def lays_out_bfloat16() -> bool:
    """Say whether torch's operators for laid-out linear maps are here and this processor has what they need.

    They are the ones torch's own compiler packs weights with; they have no public name, and refuse processors without
    AVX-512 when they are called.
    """
    import torch

    operators: Any = torch.ops.mkldnn
    if not torch.backends.mkldnn.is_available():  # type: ignore[no-untyped-call]  # torch has no annotation here
        return False
    weight, x = (torch.ones(32, 32, dtype=torch.bfloat16) for _ in range(2))
    try:
        laid_out = operators._reorder_linear_weight(weight, 32)
        operators._linear_pointwise(x, laid_out, None, "none", [], "")
    except (AttributeError, RuntimeError):
        return False
    return True


@cache
def multiplies_int8() -> bool:
    """Say whether torch's operators for products of integers are here and exact on this processor.

    They are the ones that torch's compiler runs quantised models with; they have no public name.
    """
    import torch

    operators: Any = torch.ops.onednn
    steps = torch.full((2, 64), 255, dtype=torch.uint8)
    weight = torch.full((32, 64), 63, dtype=torch.int8)
    rest: Any = (
        torch.ones(32),
        torch.zeros(32, dtype=torch.long),
        None,
        1.0,
        0,
        torch.float32,
        "none",
        [],
        "",
    )
    try:
        packed = operators.qlinear_prepack(weight, [2, 64])
        product = operators.qlinear_pointwise(steps, 1.0, 128, packed, *rest)
    except (AttributeError, RuntimeError):
        return False
    return bool((product == 64 * 127 * 63).all())
