"""What measures the likeness of two rationales, and what it says where it cannot."""

from collections.abc import Sequence
from typing import Any, Protocol


class RationaleModelUnavailable(RuntimeError):
    """The named model cannot be loaded or does not fit the measure; the message says why and what to name instead."""


class Likeness(Protocol):
    """A measure of a rationale against a reference; `measures` names its numbers in the order of `score`."""

    @property
    def measures(self) -> tuple[str, ...]:
        """Name the numbers of `score`."""

    @property
    def fingerprint(self) -> dict[str, Any]:
        """Name the model and its weights: `measure`, `model`, `weights_sha256`."""

    def is_cut(self, text: str) -> bool:
        """Say whether a text is longer than the model's window, so that only its beginning is scored."""

    def score(self, pairs: Sequence[tuple[str, str]]) -> list[tuple[float, ...]]:
        """Score (rationale, reference) pairs, neither of them blank."""
