"""From which probability of neutral on the encoder's word may count, chosen with whole sets left out.

At every threshold: how many pairs the language model need not read, and how many letters change from its own, to worse
and to better. The threshold for a set is the lowest at which on all other sets together at most one pair in a hundred
gets worse.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.reader_cache import NotStored
from benchmarks.reader_runs import Reader
from benchmarks.reader_sets import LabelledSet

THRESHOLDS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98)
AT_MOST_WORSE = 0.01
_ORDER = ("entailment", "contradiction", "neutral")


@dataclass(frozen=True)
class Settled:
    """Of one set at one threshold: pairs, those that the encoder settles, letters to worse and to better."""

    n: int
    settled: int
    worse: int
    better: int


def settled(encoder: Reader, language_model: Reader, one: LabelledSet, at: float) -> Settled:
    """Count what the encoder would settle of a set."""
    neutral = encoder.probabilities(one.pairs)[:, 2] >= at
    letters = language_model.probabilities(one.pairs).argmax(axis=1)
    gold = [pair.label for pair in one.pairs]
    own = np.array([_right(_ORDER[i], label) for i, label in zip(letters, gold, strict=True)])
    if_neutral = np.array([_right("neutral", label) for label in gold])
    return Settled(
        len(gold),
        int(neutral.sum()),
        int((neutral & own & ~if_neutral).sum()),
        int((neutral & ~own & if_neutral).sum()),
    )


def _right(said: str, label: str) -> bool:
    return said != "entailment" if label == "not_entailment" else said == label


def report(encoder: Reader, language_model: Reader, sets: Sequence[LabelledSet]) -> list[str]:
    """Return a Markdown table: a row a set, a column a threshold, and what the other sets would choose."""
    found = {}
    for one in sets:
        try:
            found[one.name] = {at: settled(encoder, language_model, one, at) for at in THRESHOLDS}
        except NotStored:
            continue  # nothing may be read, and this was not yet
    lines = [
        "| set | " + " | ".join(f"neutral ≥ {at}" for at in THRESHOLDS) + " | chosen on the other sets |",
        "|---" * (len(THRESHOLDS) + 2) + "|",
    ]
    for name, here in found.items():
        others = [rows for other, rows in found.items() if other != name]
        at = chosen(others)
        cells = [f"{c.settled} of {c.n}, −{c.worse} +{c.better}" for c in here.values()]
        best = here[at]
        lines.append(
            f"| {name} | {' | '.join(cells)} | {at}: {best.settled} of {best.n}, −{best.worse} +{best.better} |"
        )
    return lines


def chosen(others: Sequence[dict[float, Settled]]) -> float:
    """Return the lowest threshold at which few enough pairs of some sets get worse; the highest if there is none."""
    n = sum(rows[THRESHOLDS[0]].n for rows in others)
    for at in THRESHOLDS:
        if sum(rows[at].worse for rows in others) <= AT_MOST_WORSE * n:
            return at
    return THRESHOLDS[-1]
