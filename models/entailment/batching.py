"""Inputs of unlike length as one block of tensors, padding at the right."""

from collections.abc import Sequence
from itertools import chain

import torch
from torch import Tensor

from models.entailment.reading import Encoded


def collate(encoded: Sequence[Encoded], pad_id: int) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    """Pad to (n, longest): ids, token mask, premise mask, hypothesis mask; and (n, cues) cues."""
    lengths = torch.tensor([len(e.ids) for e in encoded])
    places = torch.arange(int(lengths.max()))
    mask = places < lengths[:, None]
    ids = torch.full(mask.shape, pad_id, dtype=torch.long)
    ids[mask] = torch.tensor(list(chain.from_iterable(e.ids for e in encoded)))
    premise, hypothesis = (
        (places >= bounds[:, :1]) & (places < bounds[:, 1:])
        for bounds in (
            torch.tensor([e.premise for e in encoded]),
            torch.tensor([e.hypothesis for e in encoded]),
        )
    )
    return ids, mask, premise, hypothesis, torch.tensor([e.cues for e in encoded], dtype=torch.float32)


def moved(parts: Sequence[Tensor], device: torch.device) -> list[Tensor]:
    """Move tensors to a device; to a GPU from pinned memory, so that the copy waits for nothing and nobody for it."""
    if device.type != "cuda":
        return [part.to(device) for part in parts]
    return [part.pin_memory().to(device, non_blocking=True) for part in parts]
