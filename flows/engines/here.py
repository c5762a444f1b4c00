"""Processes on this machine, each with its share of the cores."""

import multiprocessing
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool

from medassay.tasks.parts.evaluating import evaluate_part
from medassay.tasks.parts.part import Place

ATTEMPTS = 3
"""A process that was killed takes its pool with it; so many pools are made."""


class Processes:
    """Evaluates parts in processes that keep their models."""

    def __init__(self, n: int) -> None:
        self._n = n

    leaves_parts = False

    @property
    def n_parts(self) -> int:
        """Two parts a process, so that one that is done early has another."""
        return 2 * self._n

    def submit(self, parts: Sequence[Place]) -> Iterator[tuple[Place, str | None]]:
        """Yield each part when it is evaluated, or given up, with the reason."""
        left = list(parts)
        for _ in range(ATTEMPTS):
            if not left:
                return
            with ProcessPoolExecutor(
                min(self._n, len(left)),
                mp_context=multiprocessing.get_context("spawn"),
                initializer=share_cores,
                initargs=(self._n,),
            ) as pool:
                running = {pool.submit(evaluate_part, part.url): part for part in left}
                for future in as_completed(running):
                    part = running[future]
                    try:
                        future.result()
                    except BrokenProcessPool:
                        continue
                    except (
                        Exception
                    ) as error:  # whatever a part ends with, its questions are evaluated by the caller
                        left.remove(part)
                        yield part, reason_of(error)
                    else:
                        left.remove(part)
                        yield part, None
        for part in left:
            yield part, f"its process was killed {ATTEMPTS} times"


def share_cores(n: int) -> None:
    """Have this process use its share of the cores."""
    os.environ["OMP_NUM_THREADS"] = str(max(1, (os.cpu_count() or 1) // n))


def reason_of(error: BaseException) -> str:
    """Return an error in one line."""
    return " ".join(str(error).split()) or type(error).__name__
