"""A transformer encoder read straight from weights of MPNet, BERT or RoBERTa, cut to its lower layers.

Why not transformers' own classes: their MPNet knows no fused attention, and loading them costs seconds. The
upper layers of an embedder serve its pooling; the lower ones hold the language (Sajjad et al. 2020,
arXiv:2004.03844), and the model stays under 100 million parameters.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from medassay.models.processor import lays_out_bfloat16

_NAMES = {
    "mpnet": {
        "layer": "encoder.layer.{i}.",
        "q": "attention.attn.q",
        "k": "attention.attn.k",
        "v": "attention.attn.v",
        "out": "attention.attn.o",
        "norm": "attention.LayerNorm",
    },
    "bert": {
        "layer": "encoder.layer.{i}.",
        "q": "attention.self.query",
        "k": "attention.self.key",
        "v": "attention.self.value",
        "out": "attention.output.dense",
        "norm": "attention.output.LayerNorm",
    },
}
_NAMES["roberta"] = _NAMES["bert"]
_TOKENS = 1024


@dataclass(frozen=True, slots=True)
class EncoderShape:
    """What the base's own config says, and how many layers are kept."""

    kind: str
    width: int
    inner: int
    heads: int
    layers: int
    vocabulary: int
    positions: int
    pad_id: int
    norm_eps: float
    buckets: int
    types: int

    @property
    def first_position(self) -> int:
        """MPNet and RoBERTa count positions from behind the padding id."""
        return 0 if self.kind == "bert" else self.pad_id + 1


def read_shape(folder: Path, layers: int | None = None) -> EncoderShape:
    """Read `config.json` of a base; `layers` cuts it."""
    config = json.loads((folder / "config.json").read_text("utf-8"))
    if not knows(config):
        kind = config["model_type"]
        raise ValueError(f"{folder}: an encoder of type {kind!r} is not known here; {', '.join(_NAMES)} are")
    return shape_of(config, layers)


def knows(config: Mapping[str, Any]) -> bool:
    """Return whether a model of this config can be read here: its type, absolute positions and a plain GELU."""
    return (
        config.get("model_type") in _NAMES
        and config.get("hidden_act", "gelu") == "gelu"
        and config.get("position_embedding_type", "absolute") == "absolute"
    )


def shape_of(config: Mapping[str, Any], layers: int | None = None) -> EncoderShape:
    """Read the shape from a config of a known type; `layers` cuts it."""
    kind = config["model_type"]
    return EncoderShape(
        kind=kind,
        width=config["hidden_size"],
        inner=config["intermediate_size"],
        heads=config["num_attention_heads"],
        layers=min(layers or config["num_hidden_layers"], config["num_hidden_layers"]),
        vocabulary=config["vocab_size"],
        positions=config["max_position_embeddings"],
        pad_id=config["pad_token_id"],
        norm_eps=config["layer_norm_eps"],
        buckets=config.get("relative_attention_num_buckets", 0),
        types=0 if kind == "mpnet" else config["type_vocab_size"],
    )


class Layer(nn.Module):
    """One post-norm transformer layer; query, key and value are one matrix."""

    def __init__(self, shape: EncoderShape) -> None:
        super().__init__()
        self.heads = shape.heads
        self.qkv = nn.Linear(shape.width, 3 * shape.width)
        self.out = nn.Linear(shape.width, shape.width)
        self.norm = nn.LayerNorm(shape.width, eps=shape.norm_eps)
        self.up = nn.Linear(shape.width, shape.inner)
        self.down = nn.Linear(shape.inner, shape.width)
        self.last_norm = nn.LayerNorm(shape.width, eps=shape.norm_eps)
        self.dropout = 0.0

    def forward(self, states: Tensor, bias: Tensor | None) -> Tensor:
        """Map (n, tokens, width) to the same; `bias` (n, heads or 1, tokens, tokens) is added to the scores."""
        n, tokens, width = states.shape
        qkv = self.qkv(states).view(n, tokens, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        mixed = _attend(qkv, bias)
        states = self.norm(states + self._dropped(self.out(mixed.transpose(1, 2).reshape(n, tokens, width))))
        return self.last_norm(states + self._dropped(self.down(F.gelu(self.up(states)))))  # type: ignore[no-any-return]  # nn.Module returns Any

    def _dropped(self, states: Tensor) -> Tensor:
        """Leave some of what a part adds out, in training only, and only where `dropout` is set."""
        return F.dropout(states, self.dropout, self.training) if self.dropout else states


def _attend(qkv: Tensor, bias: Tensor | None) -> Tensor:
    """Attend from (3, n, heads, tokens, size): (n, heads, tokens, size), with `bias` added to the scores.

    On a processor with a bias, two plain products take two thirds of the time of torch's fused attention.
    """
    if bias is None or qkv.is_cuda:
        return F.scaled_dot_product_attention(qkv[0], qkv[1], qkv[2], attn_mask=bias)
    _, n, heads, tokens, size = qkv.shape
    query, key, value = qkv.reshape(3, n * heads, tokens, size)
    added = bias.expand(n, heads, tokens, tokens).reshape(n * heads, tokens, tokens)
    scores = torch.baddbmm(added, query, key.transpose(1, 2), alpha=size**-0.5)
    return torch.bmm(scores.softmax(-1), value).view(n, heads, tokens, size)


def _table(n: int, width: int) -> nn.Embedding:
    """Make an embedding whose values are still to be loaded: to draw them torch imports its compiler, for seconds."""
    made: nn.Embedding = nn.Embedding.from_pretrained(torch.empty(n, width), freeze=False)  # type: ignore[no-untyped-call]  # torch has no annotation here
    return made


class Encoder(nn.Module):
    """Embeddings and layers; returns the last layer's states."""

    def __init__(self, shape: EncoderShape) -> None:
        super().__init__()
        self.shape = shape
        self.words = _table(shape.vocabulary, shape.width)
        self.places = _table(shape.positions, shape.width)
        self.types = _table(shape.types, shape.width) if shape.types else None
        self.norm = nn.LayerNorm(shape.width, eps=shape.norm_eps)
        self.relative = _table(shape.buckets, shape.heads) if shape.buckets else None
        self.layers = nn.ModuleList(Layer(shape) for _ in range(shape.layers))

    def forward(self, ids: Tensor, mask: Tensor, types: Tensor | None = None) -> Tensor:
        """Encode (n, tokens) ids; `mask` is true where there is a token; padding stands at the right."""
        return self.climb(self.embed(ids, types), mask)

    def embed(self, ids: Tensor, types: Tensor | None = None) -> Tensor:
        """Look (n, tokens) ids up: (n, tokens, width)."""
        places = torch.arange(ids.shape[1], device=ids.device) + self.shape.first_position
        states = self.words(ids) + self.places(places)
        if self.types is not None:
            states = states + self.types(torch.zeros_like(ids) if types is None else types)
        return self.norm(states)  # type: ignore[no-any-return]  # nn.Module returns Any

    def climb(self, states: Tensor, mask: Tensor, first: int = 0, last: int | None = None) -> Tensor:
        """Run layers `first` up to, not including, `last` over (n, tokens, width) states."""
        bias = self._bias(mask, states.dtype)
        for layer in list(self.layers)[first:last]:
            states = layer(states, bias)
        return states

    def drop_out(self, share: float, first: int) -> None:
        """Set the dropout of training for layers from `first` upwards."""
        for layer in list(self.layers)[first:]:
            assert isinstance(layer, Layer)
            layer.dropout = share

    def _bias(self, mask: Tensor, dtype: torch.dtype) -> Tensor | None:
        if self.relative is None and bool(mask.all()):
            return None
        hidden = torch.zeros(mask.shape, dtype=dtype, device=mask.device).masked_fill(
            ~mask, torch.finfo(dtype).min
        )
        hidden = hidden[:, None, None, :]
        if self.relative is None:
            return hidden.expand(-1, 1, mask.shape[1], -1)
        distance = torch.arange(mask.shape[1], device=mask.device)
        buckets = relative_buckets(distance[None, :] - distance[:, None], self.shape.buckets)
        # Laid out head by head: torch's fused attention takes no other bias, and what it falls back to is slow.
        near: Tensor = self.relative(buckets).permute(2, 0, 1)[None].to(dtype).contiguous()
        return near + hidden

    def near(self, reach: int) -> Tensor | None:
        """What is added to a score at each distance key - query, from -(reach - 1) on, (heads, 2 · reach - 1)."""
        if self.relative is None:
            return None
        distance = torch.arange(1 - reach, reach, device=self.relative.weight.device)
        found: Tensor = self.relative(relative_buckets(distance, self.shape.buckets)).float()
        return found.T.contiguous()


def relative_buckets(distance: Tensor, n_buckets: int, farthest: int = 128) -> Tensor:
    """Bucket signed distances key - query: exact near, logarithmic far (Raffel et al. 2020, T5, section 2.1)."""
    half = n_buckets // 2
    behind = (distance > 0).long() * half
    away = distance.abs()
    exact = half // 2
    far = (
        exact
        + (torch.log(away.clamp(min=1).float() / exact) / math.log(farthest / exact) * (half - exact)).long()
    )
    return behind + torch.where(away < exact, away, far.clamp(max=half - 1))


def load_encoder(folder: Path, layers: int | None = None) -> Encoder:
    """Read a base's safetensors into an encoder of its first `layers` layers, float32, nothing trainable."""
    from safetensors.torch import load_file

    return encoder_of(read_shape(folder, layers), load_file(folder / "model.safetensors"))


def encoder_of(shape: EncoderShape, raw: Mapping[str, Tensor]) -> Encoder:
    """Make an encoder of weights under the names that transformers gives them: float32, nothing trainable."""
    with torch.device("meta"):  # nothing is drawn at random only to be overwritten
        encoder = Encoder(shape)
    state = {
        "words.weight": raw["embeddings.word_embeddings.weight"],
        "places.weight": raw["embeddings.position_embeddings.weight"],
        "norm.weight": raw["embeddings.LayerNorm.weight"],
        "norm.bias": raw["embeddings.LayerNorm.bias"],
    }
    if encoder.types is not None:
        state["types.weight"] = raw["embeddings.token_type_embeddings.weight"]
    if encoder.relative is not None:
        state["relative.weight"] = raw["encoder.relative_attention_bias.weight"]
    names = _NAMES[shape.kind]
    for i in range(shape.layers):
        old, new = names["layer"].format(i=i), f"layers.{i}."
        for part in ("weight", "bias"):
            state[f"{new}qkv.{part}"] = torch.cat([raw[f"{old}{names[x]}.{part}"] for x in ("q", "k", "v")])
            state[f"{new}out.{part}"] = raw[f"{old}{names['out']}.{part}"]
            state[f"{new}norm.{part}"] = raw[f"{old}{names['norm']}.{part}"]
            state[f"{new}up.{part}"] = raw[f"{old}intermediate.dense.{part}"]
            state[f"{new}down.{part}"] = raw[f"{old}output.dense.{part}"]
            state[f"{new}last_norm.{part}"] = raw[f"{old}output.LayerNorm.{part}"]
    encoder.load_state_dict({name: value.float() for name, value in state.items()}, assign=True)
    return encoder.requires_grad_(False)


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
    """Lay every linear map under a module out once, where torch and this processor can; else leave them as they are."""
    if not lays_out_bfloat16():
        return
    for parent in list(module.modules()):
        for name, child in list(parent.named_children()):
            if isinstance(child, nn.Linear) and _fits(child):
                setattr(parent, name, PackedLinear(child))


def _fits(linear: nn.Linear) -> bool:
    return linear.weight.dtype == torch.bfloat16 and linear.weight.device.type == "cpu"
