"""Threads that multiply on one core each: two batches side by side wait for nothing, two cores on one batch do."""

import os
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import Any

_MOST_PROCESSES = 16


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
    """How much is judged at once: threads, pairs a turn, tokens a batch, processes that make pairs ready.

    `gate` says how many threads may be at the network at a time.
    """

    workers: int = 1
    pairs_a_turn: int = 64
    tokens_a_batch: int = 1024
    processes: int = 0
    gate: AbstractContextManager[Any] = field(default_factory=nullcontext)


def pace_of(device: str) -> Pace:
    """Say how pairs are best judged on a device.

    On processors by a thread a core, in batches that stay in its cache. On a GPU in batches that fill it: two threads
    are at it, so that one lays out while the other multiplies, and a process a core makes pairs ready, each with a
    thread that waits for it.
    """
    import torch

    if device != "cuda":
        return Pace(torch.get_num_threads() if device == "cpu" else 1)
    processes = min(_MOST_PROCESSES, max(1, _cores() - 1))
    return Pace(processes + 2, 1024, 65536, processes, threading.BoundedSemaphore(2))


def _cores() -> int:
    """Count the cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
