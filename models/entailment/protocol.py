"""The protocol of an entailment model, and its few errors."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from medassay.models.records import PairVerdict

STAGE_VERSION = 4
"""Raised by hand whenever the same texts and weights would give other verdicts."""

Pair = tuple[str, str]
Progress = Callable[[int], None]
Warn = Callable[[str], None]


class EntailmentModel(Protocol):
    """Scores pairs; `fingerprint` names everything that a verdict depends on."""

    @property
    def fingerprint(self) -> dict[str, Any]:
        """Model, weights digest, dtype, window, overlap and stage version."""
        ...

    @property
    def pairs_at_once(self) -> int:
        """So many pairs a call keep the machine busy to the end; fewer leave some of it waiting."""
        ...

    def score(self, pairs: Sequence[Pair], on_progress: Progress | None = None) -> list[PairVerdict]:
        """Judge (premise, hypothesis) pairs: one verdict a pair, in the order given."""
        ...


class EntailmentUnavailable(RuntimeError):
    """The named model cannot be loaded; the message says why and what to name instead."""


class UnknownLabels(ValueError):
    """A checkpoint's labels cannot be read as entailment, neutral and contradiction."""


class SelfTestFailed(RuntimeError):
    """A model that was loaded does not tell plain known answers apart; nothing it says can be used."""
