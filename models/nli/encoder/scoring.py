"""Score pairs: deduplicate, tokenise each text once, run turns side by side.

What a network says of an input does not depend on what else is in the call, beyond rounding: padding is masked,
and inputs of like length share a batch under a token budget. In bfloat16 rounding moves a probability by up to .002.
"""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from medassay.models.nli.encoder.tokenisation import Planner, Reader
from medassay.models.nli.encoder.worker_pool import BatchSizes, WorkerPool, threads_of_one
from medassay.models.nli.labels import Pair, Progress
from medassay.models.nli.settings import WindowSettings
from medassay.models.nli.window_verdicts import Forward, Judge
from medassay.models.records import PairVerdict


@dataclass(frozen=True, slots=True)
class Scorer:
    """A reader, a network behind `forward` (inputs → (n, 3) probabilities), and the rules over windows.

    `pace` says how many threads run side by side, and in what portions; the processes of `worker_pool` prepare and
    conclude pairs where a GPU would wait for one process to do so.
    """

    reader: Reader
    forward: Forward
    reading: WindowSettings
    rarity: Sequence[float]
    fingerprint: dict[str, Any]
    pace: BatchSizes = field(default_factory=BatchSizes)
    worker_pool: WorkerPool | None = None

    @property
    def judge(self) -> Judge:
        """What judges a turn of pairs."""
        planner = Planner(self.reader, self.reading, self.rarity)
        return Judge(planner, self.forward, self.pace.tokens_a_batch)

    @property
    def pairs_at_once(self) -> int:
        """Two turns for each worker; more where processes have to be filled and emptied."""
        return (8 if self.worker_pool else 2) * self.pace.workers * self.pace.pairs_a_turn

    def score(self, pairs: Sequence[Pair], on_progress: Progress | None = None) -> list[PairVerdict]:
        """Judge (premise, hypothesis) pairs: one verdict a pair, in the order given.

        Args:
            pairs: premises and hypotheses; equal pairs are judged once.
            on_progress: told how many more pairs are done; it adds up to `len(pairs)`.
        """
        times = Counter(pairs)
        distinct = sorted(
            times, key=lambda pair: (len(pair[0]), pair[0], len(pair[1]), pair[1]), reverse=True
        )
        turns = list(even_turns(distinct, self.pace.workers, self.pace.pairs_a_turn))
        verdicts: dict[Pair, PairVerdict] = {}
        for turn, found in zip(turns, self._side_by_side(turns), strict=True):
            verdicts.update(zip(turn, found, strict=True))
            if on_progress:
                on_progress(sum(times[pair] for pair in turn))
        return [verdicts[pair] for pair in pairs]

    def _side_by_side(self, turns: Sequence[Sequence[Pair]]) -> Iterator[list[PairVerdict]]:
        """Judge turns in order, as many at once as there are workers: one prepares while another multiplies."""
        judge, workers = self.judge, self.pace.workers
        if workers < 2 or len(turns) < 2:
            yield from map(judge.judge, turns)
        elif self.worker_pool and sum(map(len, turns)) >= self.worker_pool.worth_it:
            yield from self.worker_pool.judge(turns, judge)
        else:
            with threads_of_one(workers) as pool:
                yield from pool.map(judge.judge, turns)


def even_turns(pairs: Sequence[Pair], workers: int, most: int) -> Iterator[Sequence[Pair]]:
    """Cut pairs into turns of like size, at most `most`, as many for each worker: none waits for the others' last."""
    rounds = math.ceil(len(pairs) / (most * workers))
    size = math.ceil(len(pairs) / (rounds * workers)) if pairs else 1
    yield from (pairs[at : at + size] for at in range(0, len(pairs), size))
