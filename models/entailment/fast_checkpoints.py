"""The quickest way through a checkpoint on this device that gives the checkpoint's own answers."""

from typing import TYPE_CHECKING, Any

from medassay.models.entailment.inputs import Batch, packed
from medassay.models.entailment.judging import Forward
from medassay.models.entailment.labels import LabelOrder
from medassay.models.entailment.reading import Reader

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_AS_FAR_AS_ROUNDING = 0.03
_KNOWN = (
    ("Aspirin lowered the risk of stroke in 1,200 adults. No bleeding was seen.", "aspirin lowered the risk"),
    ("Blood was stored at night.", "sleep improved in all of the groups that were followed for a year"),
)


def unpadded_forward(network: Any, order: LabelOrder, takes_types: bool, device: Any) -> Forward | None:
    """Wrap a classifier whose layers run without padding as inputs → (n, 3) probabilities; None where they cannot."""
    import torch

    from medassay.models.entailment.batching import read_back
    from medassay.models.entailment.unpadded import (
        can_run_unpadded,
        classifier_encoder,
        first_token_logits,
        laid_out,
    )

    if not can_run_unpadded(device, next(network.parameters()).dtype):
        return None
    encoder = classifier_encoder(network)
    if encoder is None:
        return None

    def forward(batch: Batch) -> "NDArray[np.float32]":
        ids, places, types, starts, longest = laid_out(batch, device)

        def work() -> torch.Tensor:
            states = encoder(ids, places, types if takes_types else None, starts, longest)
            return first_token_logits(network, states[starts[:-1]]).float()

        with torch.inference_mode():
            logits = read_back(work, device)
        return order.fold(torch.softmax(logits, dim=1).numpy())

    return forward


def agrees(quick: Forward, plain: Forward, reader: Reader) -> bool:
    """Say whether two ways through a network give the same probabilities, but for rounding in half precision."""
    batch = packed([reader.pair(reader.ids(premise), reader.ids(claim)) for premise, claim in _KNOWN])
    return bool(abs(quick(batch) - plain(batch)).max() < _AS_FAR_AS_ROUNDING)
