"""CPU features (bfloat16, int8) and GPU detection."""

import os
import platform
import sys
from functools import cache
from pathlib import Path
from typing import Any, Literal

WITHOUT_BFLOAT16 = ("SSE41", "AVX", "AVX2", "AVX2_VNNI", "AVX512_CORE", "AVX512_CORE_VNNI")
"""What oneDNN's own variable may keep it to, below the instructions for bfloat16."""
Arithmetic = Literal["bfloat16", "float32", "int8"]
GPU_FILES = ("/proc/driver/nvidia/version", "/dev/nvidia0", "/dev/dxg", "/dev/kfd")
"""What Linux has where PyTorch may find a GPU: NVIDIA's driver, that of Windows beneath, AMD's."""


@cache
def multiplies_bfloat16() -> bool:
    """Return whether the processor has instructions for products of bfloat16, and oneDNN may use them.

    torch is not imported.
    """
    if os.environ.get("ONEDNN_MAX_CPU_ISA", "").upper() in WITHOUT_BFLOAT16:
        return False
    try:
        return "avx512_bf16" in Path("/proc/cpuinfo").read_text("utf-8", "replace")[:20_000]
    except OSError:
        return False


@cache
def processor_name() -> str:
    """Return what the processor calls itself, empty where the system does not say."""
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8", "replace")[:20_000].splitlines()
    except OSError:
        return platform.processor()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")


@cache
def has_gpu() -> bool:
    """Return whether an NVIDIA driver is loaded; torch is not imported."""
    return Path("/proc/driver/nvidia/version").exists()


def device_here() -> str:
    """Name the device that texts are read on, `cuda` or `cpu`; torch is imported only where there may be a GPU."""
    if sys.platform == "linux" and not any(Path(file).exists() for file in GPU_FILES):
        return "cpu"
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"


def fast_dtype(device: str) -> Arithmetic:
    """Return bfloat16 where the hardware multiplies in it, else float32; it is part of the fingerprint."""
    return "bfloat16" if device == "cuda" or multiplies_bfloat16() else "float32"


def arithmetic_on(device: str) -> Arithmetic:
    """Return how products are computed on "cpu" or "cuda": bfloat16, else int8, else float32."""
    fast = fast_dtype(device)
    return "int8" if fast == "float32" and device == "cpu" and multiplies_int8() else fast


@cache
def lays_out_bfloat16() -> bool:
    """Return whether torch's operators for laid-out linear maps are here and this processor has what they need.

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
    """Return whether torch's operators for products of integers are here and exact on this processor.

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
