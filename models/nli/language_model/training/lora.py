"""Low-rank adapters (LoRA, Hu et al. 2021) of every linear map of a Qwen2: y = Wx + 2 B A x."""

import math
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from medassay.models.nli.language_model.adapter import MAPS
from medassay.models.nli.language_model.merging import LETTER_ROWS, WEIGHTS

SCALE = 2.0
"""LoRA's alpha over its rank."""


class Lora(nn.Module):
    """A linear map whose weights stay, and what is learnt beside it, in 32 bits."""

    def __init__(self, linear: nn.Linear, rank: int, generator: torch.Generator) -> None:
        super().__init__()
        self.linear = linear
        drawn = torch.randn(rank, linear.in_features, generator=generator) / math.sqrt(linear.in_features)
        device = linear.weight.device
        self.A = nn.Parameter(drawn.to(device))
        self.B = nn.Parameter(torch.zeros(linear.out_features, rank, device=device))

    def forward(self, x: Tensor) -> Tensor:
        """Return Wx + 2 B A x."""
        beside = functional.linear(functional.linear(x, self.A.to(x.dtype)), self.B.to(x.dtype))
        added: Tensor = self.linear(x) + beside * SCALE
        return added


class Adapted(nn.Module):
    """A base with adapters that are drawn by a seed: token ids → logits of the letters."""

    def __init__(
        self,
        folder: Path,
        config: dict[str, Any],
        *,
        rank: int,
        seed: int,
        dtype: Any,
        device: str,
        first: int = 0,
    ) -> None:
        """Load what `merge` wrote without an adapter; layers below `first` get none."""
        from safetensors.torch import load_file
        from transformers import Qwen2Config, Qwen2Model

        super().__init__()
        base = Qwen2Model(Qwen2Config(**config, attn_implementation="sdpa")).to(dtype)
        base.load_state_dict({name: held.to(dtype) for name, held in load_file(folder / WEIGHTS).items()})
        self.base = base.requires_grad_(False).to(device)
        letters = load_file(folder / LETTER_ROWS)["letters"]
        self.register_buffer("letters", letters.to(device, dtype), persistent=False)
        generator = torch.Generator().manual_seed(seed)
        self.adapters: dict[str, Lora] = {}
        for number, layer in list(enumerate(base.layers))[first:]:
            for name, path in MAPS.items():
                owner_name, part = path.split(".")
                owner = getattr(layer, owner_name)
                adapted = Lora(getattr(owner, part), rank, generator)
                setattr(owner, part, adapted)
                self.adapters[f"blk.{number}.{name}"] = adapted

    def forward(self, ids: Tensor, last: Tensor) -> Tensor:
        """Return logits of shape (n, letters) of texts (n, tokens), each padded behind its last token.

        Right padding needs no mask where attention is causal; rows that are wholly masked gave NaN.
        """
        hidden = self.base(input_ids=ids, attention_mask=None).last_hidden_state
        letters: Tensor = self.letters  # type: ignore[assignment]
        ends: Tensor = hidden[torch.arange(len(ids), device=ids.device), last]
        return (ends @ letters.T).float()

    def trained(self) -> list[nn.Parameter]:
        """Return what is learnt."""
        return [parameter for one in self.adapters.values() for parameter in (one.A, one.B)]

    def factors(self) -> dict[str, tuple[Tensor, Tensor]]:
        """Return the adapters' factors as `write_adapter` takes them, the scale in B."""
        return {
            name: (one.A.detach().cpu(), one.B.detach().cpu() * SCALE) for name, one in self.adapters.items()
        }

    def state(self) -> dict[str, Tensor]:
        """Return what is learnt, by name."""
        return {
            f"{name}.{kind}": getattr(one, kind).detach().cpu()
            for name, one in self.adapters.items()
            for kind in "AB"
        }

    def take(self, state: dict[str, Tensor]) -> None:
        """Go on from what `state` returned."""
        with torch.no_grad():
            for name, one in self.adapters.items():
                one.A.copy_(state[f"{name}.A"])
                one.B.copy_(state[f"{name}.B"])
