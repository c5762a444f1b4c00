"""Threads that multiply on one core each: two batches side by side wait for nothing, two cores on one batch do."""

import os
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass

_MOST_PROCESSES = 24


@contextmanager
def threads_of_one(n: int) -> Iterator[ThreadPoolExecutor]:
    """Give a pool of `n` threads, in each of which torch uses one core; in every other it keeps what it had.

    A thread takes torch's number of cores when it first asks, and keeps it: so each asks, is set to one, and the number
    for threads to come is set back once all of the pool have started.
    """
    import torch

    before = torch.get_num_threads()
    all_here = threading.Barrier(n)

    def settle() -> None:
        torch.get_num_threads()
        torch.set_num_threads(1)
        all_here.wait()

    with ThreadPoolExecutor(n, "entail") as pool:
        for started in [pool.submit(settle) for _ in range(n)]:
            started.result()
        torch.set_num_threads(before)
        yield pool


@dataclass(frozen=True, slots=True)
class Pace:
    """How much is judged at once: by how many threads or processes, pairs a turn, tokens a batch."""

    workers: int = 1
    pairs_a_turn: int = 64
    tokens_a_batch: int = 1024


def pace_of(device: str) -> Pace:
    """Say how pairs are best judged on a device.

    On processors by a thread a core, in batches that stay in its cache. On a GPU in batches that fill it, by a
    process a core, and a few more, since each waits for the GPU now and then; in short turns, since a process sends its
    first batch only when its whole turn is ready.
    """
    import torch

    if device != "cuda":
        return Pace(torch.get_num_threads() if device == "cpu" else 1)
    return Pace(min(_MOST_PROCESSES, _cores() + _cores() // 4 + 1), 256, 65536)


def _cores() -> int:
    """Count the cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
