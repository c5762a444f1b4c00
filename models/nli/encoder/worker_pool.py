"""Worker pool that prepares and concludes pairs around one network, and threads for CPUs.

Windows and tokens of a pair, and the rules over what was read, are some milliseconds of plain Python, of which
threads share one core. Beside processors that multiply it hardly shows; a GPU would wait for it most of its time.
Only texts go out, only arrays and verdicts come back, so that what is left here is microseconds a pair.
"""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from queue import SimpleQueue
from threading import BoundedSemaphore, Lock
from typing import TYPE_CHECKING

from medassay.models.nli.encoder.inputs import Batch
from medassay.models.nli.encoder.tokenisation import Planner
from medassay.models.nli.labels import Pair
from medassay.models.nli.window_verdicts import Forward, Judge
from medassay.models.records import PairVerdict

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_MOST_PROCESSES = 24

_AT_THE_NETWORK = 3
"""Batches on their way: one is read, one waits behind it, one is laid out."""
_BEGIN = """
import sys
line, sys.path[:] = int(sys.argv[1]), sys.argv[2:]
from medassay.models.nli.encoder.worker_pool import judge_for_others
judge_for_others(line)
"""


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
class BatchSizes:
    """How much is judged at once: by how many threads or processes, pairs a turn, tokens a batch."""

    workers: int = 1
    pairs_a_turn: int = 64
    tokens_a_batch: int = 1024


def pace_of(device: str) -> BatchSizes:
    """Describe how pairs are best judged on a device.

    On processors by a thread a core, in batches that stay in its cache. On a GPU in batches that fill it, by a
    process a core, and a few more, since each waits for the GPU now and then; in short turns, since a process sends its
    first batch only when its whole turn is ready.
    """
    import torch

    if device != "cuda":
        return BatchSizes(torch.get_num_threads() if device == "cpu" else 1)
    return BatchSizes(min(_MOST_PROCESSES, _cores() + _cores() // 4 + 1), 256, 65536)


def _cores() -> int:
    """Count the cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class WorkerPool:
    """As many processes as said, started when first needed, kept until this process ends; not on Windows.

    One that dies costs nothing but its work: whoever waits for it judges the turn here. Calls of fewer pairs than
    `worth_it` are not worth its start.
    """

    def __init__(self, size: int, worth_it: int = 1024) -> None:
        self.size, self.worth_it = size, worth_it
        self._hands: list[_Hand] = []
        self._planner: Planner | None = None
        self._gate = BoundedSemaphore(_AT_THE_NETWORK)
        self._one_call = Lock()

    def judge(self, turns: Sequence[Sequence[Pair]], judge: Judge) -> Iterator[list[PairVerdict]]:
        """Judge turns of distinct pairs, each by one process; the verdicts come in the order of the turns."""

        def forward(batch: Batch) -> "NDArray[np.float32]":
            with self._gate:
                return judge.forward(batch)

        free: SimpleQueue[_Hand] = SimpleQueue()

        def judged(turn: Sequence[Pair]) -> list[PairVerdict]:
            hand = free.get()
            try:
                found = hand.judge(turn, forward)
            finally:
                free.put(hand)
            return replace(judge, forward=forward).judge(turn) if found is None else found

        with self._one_call:
            self._start(judge)
            for hand in self._hands:
                free.put(hand)
            with ThreadPoolExecutor(self.size, "entail") as pool:
                yield from pool.map(judged, turns)

    def _start(self, judge: Judge) -> None:
        if self._planner != judge.planner:
            self.close()
            self._planner = judge.planner
        alive = [hand for hand in self._hands if not hand.line.closed]
        self._hands = alive + [_Hand(judge) for _ in range(self.size - len(alive))]

    def close(self) -> None:
        """Have the processes end; the next call starts others."""
        for hand in self._hands:
            hand.close()
        self._hands = []


def worker_pool_for(device: str, pace: BatchSizes) -> WorkerPool | None:
    """Return a worker_pool where it pays: beside a GPU."""
    return WorkerPool(pace.workers) if device == "cuda" and os.name == "posix" else None


class _Hand:
    """One process, and this process's end of the line to it."""

    def __init__(self, judge: Judge) -> None:
        self.line, far = Pipe()
        self.told: tuple[Planner, int] | None = (judge.planner, judge.tokens_a_batch)
        # Not by multiprocessing, whose processes begin with whatever the program around this one is.
        command = [sys.executable, "-c", _BEGIN, str(far.fileno()), *sys.path]
        try:
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL, pass_fds=[far.fileno()]
            )
        except (OSError, ValueError):
            self.line.close()
        finally:
            far.close()

    def judge(self, turn: Sequence[Pair], forward: Forward) -> list[PairVerdict] | None:
        """Have a turn judged, reading for the process what it asks for; None where it is dead."""
        if self.line.closed:
            return None
        try:
            if self.told:  # by whoever has the first turn: all begin at once, and none waits here for another
                self.line.send(self.told)
                self.told = None
            self.line.send(turn)
            while isinstance(said := self.line.recv(), Batch):
                self.line.send(forward(said))
        except (EOFError, ConnectionError):
            self.close()
            return None
        except BaseException:
            self.close()  # it waits for an answer that will not come
            raise
        if isinstance(said, Exception):
            raise said
        return said  # type: ignore[no-any-return]  # what the process sends

    def close(self) -> None:
        self.line.close()


def judge_for_others(descriptor: int) -> None:
    """Judge turn after turn for who is at the other end of an inherited socket, until it is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    line: Connection = Connection(descriptor)
    try:
        planner, tokens_a_batch = line.recv()
    except (EOFError, ConnectionError):
        return

    def forward(batch: Batch) -> "NDArray[np.float32]":
        line.send(batch)
        read: NDArray[np.float32] = line.recv()
        return read

    judge = Judge(planner, forward, tokens_a_batch)
    try:
        while True:
            line.send(_verdicts(judge, line.recv()))
    except (EOFError, ConnectionError):
        return


def _verdicts(judge: Judge, turn: Sequence[Pair]) -> list[PairVerdict] | Exception:
    try:
        return judge.judge(turn)
    except (EOFError, ConnectionError):
        raise
    except Exception as error:
        return error
