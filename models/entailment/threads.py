"""Threads that multiply on one core each: two batches side by side wait for nothing, two cores on one batch do."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager


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


def n_workers(device: str) -> int:
    """Count the threads to judge in: one a core that torch may use; one where a GPU does the work."""
    import torch

    return 1 if device != "cpu" else torch.get_num_threads()


def tokens_a_batch(device: str) -> int:
    """Say how many tokens go through a network at once: what stays in a processor's cache, or what fills a GPU."""
    return 65536 if device == "cuda" else 1024
