"""Verdicts kept on disk, so that no pair is read twice by one reader however often the benchmark runs."""

import hashlib
import json
import sqlite3
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from medassay.models.keys import content_key
from medassay.models.nli import EntailmentModel
from medassay.models.records import PairVerdict, Span

CACHE = Path(".medassay") / "reader_benchmark.sqlite"
AT_ONCE = 48


class NotStored(LookupError):
    """A pair is not in the store, and nothing new may be read."""


class Remembering:
    """An entailment model whose verdicts are kept by the model's fingerprint and the pair's texts.

    `spent` adds up the processor seconds that the reading of all pairs took that were asked for, when they were read.
    """

    def __init__(self, load: Any, fingerprint: dict[str, Any], path: Path = CACHE) -> None:
        """Open the store; `load` makes the model when the first pair has to be read."""
        path.parent.mkdir(parents=True, exist_ok=True)
        self.store = sqlite3.connect(path, timeout=60)
        self.store.execute(
            "create table if not exists verdict (key text primary key, verdict text, seconds real)"
        )
        self.fingerprint, self.key = fingerprint, content_key(fingerprint)
        self._load, self._model = load, None
        self.spent = 0.0
        self.may_read = True

    @property
    def pairs_at_once(self) -> int:
        """So many pairs are read before they are stored."""
        return AT_ONCE

    @property
    def model(self) -> EntailmentModel:
        """Return the model, loaded at the first call."""
        if self._model is None:
            self._model = self._load()
        return self._model

    def score(self, pairs: Sequence[tuple[str, str]], on_progress: Any = None) -> list[PairVerdict]:
        """Return one verdict a pair, in the order given; what is not in the store is read and put there."""
        keys = {pair: self._key(pair) for pair in dict.fromkeys(pairs)}
        found = {pair: verdict for pair, key in keys.items() if (verdict := self._stored(key)) is not None}
        waiting = sorted((p for p in keys if p not in found), key=lambda p: p[0])
        if waiting and not self.may_read:
            raise NotStored(f"{len(waiting)} of {len(keys)} pairs are not in the store")
        for at in range(0, len(waiting), AT_ONCE):
            batch = waiting[at : at + AT_ONCE]
            model = self.model  # loaded before the clock runs
            began = time.process_time()
            verdicts = model.score(batch)
            spent = time.process_time() - began
            with self.store:
                for pair, verdict in zip(batch, verdicts, strict=True):
                    found[pair] = verdict
                    self.store.execute(
                        "insert or replace into verdict values (?, ?, ?)",
                        (keys[pair], json.dumps(_plain(verdict)), spent / len(batch)),
                    )
            if on_progress:
                on_progress(len(batch))
        self.spent += sum(self._seconds(key) for key in keys.values())
        return [found[pair] for pair in pairs]

    def _key(self, pair: tuple[str, str]) -> str:
        return hashlib.sha256("\0".join((self.key, *pair)).encode()).hexdigest()

    def _seconds(self, key: str) -> float:
        row = self.store.execute("select seconds from verdict where key = ?", (key,)).fetchone()
        return float(row[0])

    def _stored(self, key: str) -> PairVerdict | None:
        row = self.store.execute("select verdict from verdict where key = ?", (key,)).fetchone()
        return None if row is None else _verdict(json.loads(row[0]))


def _plain(v: PairVerdict) -> list[Any]:
    span = None if v.sentence is None else [v.sentence.start, v.sentence.end]
    return [v.entailment, v.neutral, v.contradiction, v.n_windows, span, v.coverage, v.reason]


def _verdict(held: list[Any]) -> PairVerdict:
    span = None if held[4] is None else Span(*held[4])
    return PairVerdict(held[0], held[1], held[2], held[3], span, held[5], held[6])
