"""How passages are read, scores calibrated and cut off: stored with the weights, part of the fingerprint."""

from dataclasses import asdict, dataclass
from math import isfinite
from typing import Any, Literal

from medassay.models.records import PairVerdict

Said = Literal["supports", "contradicts", "neutral"]

NEARNESS = 0.9
"""A window less near to the claim than this share of the first is not read: 1.06 windows a pair in place of 1.13 at .8.

Macro-F1 is not lower for it.
"""
OTHER_DRUGS = 3.0
"""Odds of a twentieth where a passage names drugs and none of the claim's: of 19 such pairs 13 are neutral."""
VERBATIM = 3.0
"""Twenty times the odds of entailment where a claim stands word for word in the passage."""


def says(verdict: PairVerdict, supports_at: float, contradicts_at: float) -> Said | None:
    """Return the most probable of the three where it reaches its cut-off, else neutral; None without probabilities.

    What is no number (NaN) is no probability. Below a third a cut-off changes nothing: the most probable of
    three is never less likely. The macro `says` in `sql/staging` is the same rule for stored verdicts.
    """
    e, n, c = verdict.entailment, verdict.neutral, verdict.contradiction
    if e is None or n is None or c is None or not all(map(isfinite, (e, n, c))):
        return None
    if c >= contradicts_at and c > e and c >= n:
        return "contradicts"
    if e >= supports_at and e >= c and e >= n:
        return "supports"
    return "neutral"


@dataclass(frozen=True, slots=True)
class WindowSettings:
    """Window sizes in tokens, and the rules over windows.

    `premise_tokens` of a passage are read at a time beside the claim; `longest_claim` is the longest claim that is
    judged at all. At most `windows` windows are read, the later ones only while nothing is decided, and only those
    whose most telling sentence is at least `nearness` times as near to the claim as the first window's.
    `caution` is taken off the log odds of a decision for each e-fold of windows: the more places one looks at, the more
    one finds by chance. `other_drugs` is taken off them where the passage names drugs, and none of the claim's.
    `verbatim` is added to the log odds of entailment where the claim stands in the passage word for word.
    """

    premise_tokens: int
    longest_claim: int
    windows: int = 4
    caution: float = 0.3
    nearness: float = 0.0
    other_drugs: float = 0.0
    verbatim: float = 0.0

    def named(self) -> dict[str, Any]:
        """The settings as a fingerprint carries them."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Calibration:
    """Logits are divided by `temperature` after `shift` is added, both fitted on development data (Guo et al. 2017)."""

    temperature: float = 1.0
    shift: tuple[float, float, float] = (0.0, 0.0, 0.0)
