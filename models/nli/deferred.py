"""Deferred reader: a language model whose weights are loaded when a pair needs it."""

from collections.abc import Callable, Sequence
from typing import Any

from medassay.models.nli.labels import EntailmentModel, Pair, Progress
from medassay.models.records import PairVerdict


class DeferredReader:
    """Stands for a reader that is loaded with the first pair: the encoder before it may settle all of them."""

    pairs_at_once = 64

    def __init__(self, described: dict[str, Any], load: Callable[[], EntailmentModel]) -> None:
        """Keep what describes the reader, without its name, and what loads it."""
        self.fingerprint: dict[str, Any] = {"name": "reader", **described}
        self._load = load

    def score(self, pairs: Sequence[Pair], on_progress: Progress | None = None) -> list[PairVerdict]:
        """Judge (premise, hypothesis) pairs as the reader does; `load` keeps what it loaded.

        Raises:
            EntailmentUnavailable, SelfTestFailed: where it cannot be loaded or used.
        """
        return self._load().score(pairs, on_progress) if pairs else []
