"""Collate inputs of unequal length into padded tensors, with asynchronous transfer to a GPU."""

from collections.abc import Callable, Sequence
from threading import Lock

import torch
from torch import Tensor

from medassay.models.nli.encoder.inputs import Batch


def collate(batch: Batch, pad_id: int) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Pad to (n, longest): ids, token mask, premise mask, hypothesis mask."""
    places = torch.arange(int(batch.lengths.max()))
    mask = places < torch.from_numpy(batch.lengths)[:, None]
    ids = torch.full(mask.shape, pad_id, dtype=torch.long)
    ids[mask] = torch.from_numpy(batch.ids)
    premise, hypothesis = (
        between(places, torch.from_numpy(bounds)) for bounds in (batch.premise, batch.hypothesis)
    )
    return ids, mask, premise, hypothesis


def between(places: Tensor, bounds: Tensor) -> Tensor:
    """Mark which of the places (longest,) lie in each of the half-open bounds (n, 2): (n, longest)."""
    return (places >= bounds[:, :1]) & (places < bounds[:, 1:])


def moved(parts: Sequence[Tensor], device: torch.device) -> list[Tensor]:
    """Move tensors to a device; to a GPU from pinned memory, so that the copy waits for nothing and nobody for it."""
    if device.type != "cuda":
        return [part.to(device) for part in parts]
    return [part.pin_memory().to(device, non_blocking=True) for part in parts]


_launching = Lock()


def read_back(work: Callable[[], Tensor], device: torch.device) -> Tensor:
    """Run what computes a tensor on a device, and return it on the processor.

    On a GPU the kernels of one call are launched together and waited for outside the lock: while they run, the next
    thread launches its own, so that the GPU never stands still between two.
    """
    if device.type != "cuda":
        return work().cpu()
    with _launching:
        found = work()
        here = torch.empty(found.shape, dtype=found.dtype, pin_memory=True)
        here.copy_(found, non_blocking=True)
        done = torch.cuda.Event(blocking=True)  # type: ignore[no-untyped-call]  # torch has no annotation here
        done.record()
    done.synchronize()
    return here
