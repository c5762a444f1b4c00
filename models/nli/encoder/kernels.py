"""Triton kernels: attention over unpadded texts, residual addition with layer norm.

PyTorch's fused attention knows a bias only by a slow path, and texts of unlike length only with padding. Here scores
never leave the chip (Dao 2023, FlashAttention-2, arXiv:2307.08691, algorithm 1), a relative bias is looked up by
distance (Raffel et al. 2020, T5, section 2.1), and nothing is computed for padding, since there is none.
"""

import math

import torch
import triton
import triton.language as tl
from torch import Tensor

_ROWS, _COLUMNS = 64, 64


@triton.jit  # type: ignore[untyped-decorator]  # triton has no annotations
def _attend(  # type: ignore[no-untyped-def]  # pointers and compile-time numbers
    qkv, out, table, starts, scale, reach, width,
    SIZE: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr, BIASED: tl.constexpr,
):  # fmt: skip
    block, head, text = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    start = tl.load(starts + text)
    length = tl.load(starts + text + 1) - start
    if block * ROWS < length:
        rows = block * ROWS + tl.arange(0, ROWS)
        part = tl.arange(0, SIZE)
        stride = 3 * width
        base = qkv + start * stride + head * SIZE
        here = rows[:, None] < length
        query = tl.load(base + rows[:, None] * stride + part[None, :], mask=here, other=0.0)
        most = tl.full([ROWS], float("-inf"), tl.float32)
        total = tl.zeros([ROWS], tl.float32)
        mixed = tl.zeros([ROWS, SIZE], tl.float32)
        for first in range(0, length, COLUMNS):
            columns = first + tl.arange(0, COLUMNS)
            there = columns < length
            key = tl.load(
                base + width + columns[None, :] * stride + part[:, None], mask=there[None, :], other=0.0
            )
            scores = tl.dot(query, key) * scale
            if BIASED:
                away = columns[None, :] - rows[:, None] + reach - 1
                scores += tl.load(
                    table + head * (2 * reach - 1) + away, mask=here & there[None, :], other=0.0
                )
            scores = tl.where(there[None, :], scores, float("-inf"))
            now = tl.maximum(most, tl.max(scores, 1))
            weights = tl.exp2(scores - now[:, None])
            fade = tl.exp2(most - now)
            total = total * fade + tl.sum(weights, 1)
            value = tl.load(
                base + 2 * width + columns[:, None] * stride + part[None, :], mask=there[:, None], other=0.0
            )
            mixed = mixed * fade[:, None] + tl.dot(weights.to(value.dtype), value)
            most = now
        mixed = mixed / total[:, None]
        place = out + (start + rows)[:, None] * width + head * SIZE + part[None, :]
        tl.store(place, mixed.to(out.dtype.element_ty), mask=here)


@triton.jit  # type: ignore[untyped-decorator]
def _add_norm(x, y, weight, bias, out, width, eps, BLOCK: tl.constexpr):  # type: ignore[no-untyped-def]
    row = tl.program_id(0).to(tl.int64) * width
    part = tl.arange(0, BLOCK)
    there = part < width
    both = tl.load(x + row + part, mask=there, other=0.0).to(tl.float32)
    both += tl.load(y + row + part, mask=there, other=0.0).to(tl.float32)
    centred = tl.where(there, both - tl.sum(both, 0) / width, 0.0)
    spread = tl.sqrt(tl.sum(centred * centred, 0) / width + eps)
    normed = centred / spread * tl.load(weight + part, mask=there, other=0.0).to(tl.float32)
    normed += tl.load(bias + part, mask=there, other=0.0).to(tl.float32)
    tl.store(out + row + part, normed.to(out.dtype.element_ty), mask=there)


def attend(qkv: Tensor, starts: Tensor, longest: int, heads: int, table: Tensor | None) -> Tensor:
    """Attend within each of n texts: (tokens, 3 × width) queries, keys and values → (tokens, width).

    Args:
        qkv: contiguous; a head's part is a power of two, at least 16.
        starts: (n + 1,) int64, where each text begins and the last one ends.
        longest: tokens of the longest text.
        heads: how many.
        table: (heads, 2 · reach − 1) float32, what is added at each distance key − query from −(reach − 1) on; None for
            nothing. `reach` is at least `longest`.
    """
    tokens, width = len(qkv), qkv.shape[1] // 3
    size = width // heads
    out = qkv.new_empty(tokens, width)
    by_two = math.log2(math.e)  # exp2 is what the hardware has
    scaled = None if table is None else table * by_two
    reach = 0 if table is None else (table.shape[1] + 1) // 2
    grid = (triton.cdiv(longest, _ROWS), heads, len(starts) - 1)
    _attend[grid](
        qkv, out, qkv if scaled is None else scaled, starts, size**-0.5 * by_two, reach, width,
        SIZE=size, ROWS=_ROWS, COLUMNS=_COLUMNS, BIASED=scaled is not None, num_warps=4,
    )  # fmt: skip
    return out


def add_norm(x: Tensor, y: Tensor, norm: torch.nn.LayerNorm) -> Tensor:
    """Add (tokens, width) and normalise each row, computed in float32."""
    out = torch.empty_like(x)
    width = x.shape[1]
    _add_norm[(len(x),)](
        x, y, norm.weight, norm.bias, out, width, norm.eps, BLOCK=triton.next_power_of_2(width), num_warps=4
    )
    return out
