"""Inputs of unlike length as one block of tensors, padding at the right."""

from collections.abc import Sequence

import torch
from torch import Tensor

from models.entailment.reading import Encoded


def collate(encoded: Sequence[Encoded], pad_id: int) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    """Pad to (n, longest): ids, token mask, premise mask, hypothesis mask; and (n, cues) cues."""
    longest = max(len(e.ids) for e in encoded)
    ids = torch.full((len(encoded), longest), pad_id, dtype=torch.long)
    mask = torch.zeros(len(encoded), longest, dtype=torch.bool)
    premise, hypothesis = mask.clone(), mask.clone()
    for row, e in enumerate(encoded):
        ids[row, : len(e.ids)] = torch.tensor(e.ids)
        mask[row, : len(e.ids)] = True
        premise[row, slice(*e.premise)] = True
        hypothesis[row, slice(*e.hypothesis)] = True
    return ids, mask, premise, hypothesis, torch.tensor([e.cues for e in encoded], dtype=torch.float32)
