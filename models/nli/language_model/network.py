"""Qwen2 inference for reading: unpadded texts, a passage shared by its statements.

The same products as transformers' Qwen2Model, in its names of weights, in the arithmetic of
`medassay.models.nli.language_model.linear`; the last layer is computed at the last token of each statement alone
(`benchmarks/reader_speed.py` compares).
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor
from torch.nn import functional

from medassay.models.nli.language_model.linear import Linear, linear, state_dtype
from medassay.models.processor import Arithmetic

if TYPE_CHECKING:
    from medassay.models.nli.language_model.prompt import Group


class Layer:
    """One layer: attention within each group of texts, then the gated map; pre-norms before both."""

    def __init__(
        self,
        weights: Any,
        name: str,
        heads: tuple[int, int],
        eps: float,
        arithmetic: Arithmetic,
        device: str,
    ) -> None:
        def held(part: str) -> Tensor:
            tensor: Tensor = weights.get_tensor(f"{name}.{part}").to(device, state_dtype(arithmetic))
            return tensor

        def joined(kind: str) -> Tensor:
            return torch.cat([held(f"self_attn.{part}_proj.{kind}") for part in "qkv"])

        def mapped(part: str) -> Linear:
            return linear(held(f"{part}.weight"), None, arithmetic)

        self.heads, self.key_heads = heads
        self.eps = eps
        self.before_attention = held("input_layernorm.weight")
        self.qkv = linear(joined("weight"), joined("bias"), arithmetic)
        self.out = mapped("self_attn.o_proj")
        self.before_map = held("post_attention_layernorm.weight")
        self.gate = mapped("mlp.gate_proj")
        self.up = mapped("mlp.up_proj")
        self.down = mapped("mlp.down_proj")

    def __call__(
        self, x: Tensor, turn: tuple[Tensor, Tensor], spans: Sequence["Span"], kept: Tensor | None
    ) -> Tensor:
        """Map states (tokens, width) of texts end to end; `kept` are the only tokens whose result is wanted."""
        n, width = x.shape
        head = width // self.heads
        mixed = self.qkv(functional.rms_norm(x, (width,), self.before_attention, self.eps))
        q, k, v = torch.split(mixed, [width, self.key_heads * head, self.key_heads * head], dim=1)
        q, k = turned(q.view(n, -1, head), turn), turned(k.view(n, -1, head), turn)
        v = v.reshape(n, -1, head)
        seen = []
        for start, end, mask in spans:
            qs, ks, vs = (part[start:end].transpose(0, 1)[None] for part in (q, k, v))
            read = functional.scaled_dot_product_attention(
                qs, ks, vs, attn_mask=mask, is_causal=mask is None, enable_gqa=True
            )
            seen.append(read[0].transpose(0, 1))
        attended = torch.cat(seen).reshape(n, width)
        if kept is not None:
            attended, x = attended[kept], x[kept]
        x = self.out.plus(attended, x)
        z = functional.rms_norm(x, (width,), self.before_map, self.eps)
        return self.down.plus(self.up.times(z, self.gate.silu(z)), x)


Span = tuple[int, int, Tensor | None]
"""Start and end of a group's tokens, and which token sees which; None where each sees all before it."""


def turned(x: Tensor, turn: tuple[Tensor, Tensor]) -> Tensor:
    """Rotate the halves of every head by the tokens' angles (rotary position embedding, Su et al. 2021)."""
    cos, sin = turn
    first, second = x.chunk(2, dim=-1)
    return torch.cat([first * cos - second * sin, second * cos + first * sin], dim=-1)


class Network:
    """Groups of token ids → logits of the three letters, shape (n statements, 3)."""

    def __init__(
        self,
        weights: Any,
        embeddings: Tensor,
        letters: Tensor,
        config: Mapping[str, Any],
        arithmetic: Arithmetic,
        device: str,
    ) -> None:
        self.dtype = state_dtype(arithmetic)
        heads = (config["num_attention_heads"], config["num_key_value_heads"])
        eps = config["rms_norm_eps"]
        self.device = device
        self.eps = eps
        self.embeddings = embeddings.to(device)
        self.norm = weights.get_tensor("norm.weight").to(device, self.dtype)
        self.letters = letters.to(device, self.dtype)
        self.layers = [
            Layer(weights, f"layers.{number}", heads, eps, arithmetic, device)
            for number in range(config["num_hidden_layers"])
        ]
        head = config["hidden_size"] // heads[0]
        theta = config["rope_parameters"]["rope_theta"]
        self.pace = 1.0 / theta ** (torch.arange(0, head, 2, device=device).float() / head)

    @torch.inference_mode()
    def __call__(self, groups: Sequence["Group"]) -> Tensor:
        """Return the logits of each statement, in the order of the groups."""
        row = lay_out(groups)
        x = self.embeddings[row.ids.to(self.device)].to(self.dtype)
        angles = row.positions.to(self.device)[:, None].float() * self.pace
        turn = (angles.cos().to(x.dtype)[:, None], angles.sin().to(x.dtype)[:, None])
        spans = [(s, e, None if mask is None else mask.to(self.device)) for s, e, mask in row.spans]
        last = row.last.to(self.device)
        for layer in self.layers[:-1]:
            x = layer(x, turn, spans, None)
        x = self.layers[-1](x, turn, spans, last)
        return (functional.rms_norm(x, (x.shape[1],), self.norm, self.eps) @ self.letters.T).float()


class Row:
    """Groups end to end: ids and positions of shape (tokens,), a span a group, each statement's last token."""

    def __init__(self, ids: Tensor, positions: Tensor, spans: list[Span], last: Tensor) -> None:
        self.ids, self.positions, self.spans, self.last = ids, positions, spans, last


def lay_out(groups: Sequence["Group"]) -> Row:
    """Lay groups end to end.

    A token sees the tokens before it of its own passage and of its own statement alone, and its position counts as if
    the prompt stood by itself.
    """
    ids: list[int] = []
    positions: list[int] = []
    owners: list[int] = []
    spans: list[Span] = []
    last: list[int] = []
    for group in groups:
        start, n = len(ids), len(group.passage)
        ids += group.passage
        positions += range(n)
        owners += [0] * n
        for number, statement in enumerate(group.statements, start=1):
            ids += statement
            positions += range(n, n + len(statement))
            owners += [number] * len(statement)
            last.append(len(ids) - 1)
        mask = None
        if len(group.statements) > 1:
            owner = torch.tensor(owners[start:])
            mask = ((owner[:, None] == owner[None, :]) | (owner[None, :] == 0)).tril()
        spans.append((start, len(ids), mask))
    return Row(torch.tensor(ids), torch.tensor(positions), spans, torch.tensor(last))
