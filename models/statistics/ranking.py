"""Which ranks a system can have, given what the pairwise tests could tell apart."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from medassay.models.statistics.paired import ALPHA


@dataclass(frozen=True, slots=True)
class Verdict:
    """The comparison of two systems: a − b, and its p adjusted for the family; None where it could not be made."""

    a: str
    b: str
    difference: float | None
    p_adjusted: float | None


@dataclass(frozen=True, slots=True)
class RankRange:
    """The ranks from `best` to `worst` are possible; `beats` and `loses_to` name what narrowed them."""

    system: str
    best: int
    worst: int
    beats: tuple[str, ...]
    loses_to: tuple[str, ...]


def rank_ranges(
    systems: Sequence[str], verdicts: Iterable[Verdict], higher_is_better: bool = True, alpha: float = ALPHA
) -> list[RankRange]:
    """Return each system's range of ranks, in the order of `systems`.

    A rank is ruled out by the systems that are shown to be better, or worse. With p adjusted by Holm's rule all
    ranges hold together with probability 1 − α (Mogstad, Romano, Shaikh & Wilhelm 2024, Rev Econ Stud 91:476–518);
    systems that no test could tell apart share their ranks.

    Raises:
        ValueError: for a verdict on a system that is not in `systems`, or on one with itself.
    """
    beats: dict[str, set[str]] = {system: set() for system in systems}
    loses: dict[str, set[str]] = {system: set() for system in systems}
    for verdict in verdicts:
        if verdict.a == verdict.b or not {verdict.a, verdict.b} <= beats.keys():
            raise ValueError(f"a verdict on {verdict.a!r} and {verdict.b!r}: not two of {', '.join(systems)}")
        if verdict.p_adjusted is None or verdict.p_adjusted > alpha or not verdict.difference:
            continue
        first_wins = (verdict.difference > 0) == higher_is_better
        winner, loser = (verdict.a, verdict.b) if first_wins else (verdict.b, verdict.a)
        beats[winner].add(loser)
        loses[loser].add(winner)
    return [
        RankRange(
            system,
            1 + len(loses[system]),
            len(systems) - len(beats[system]),
            tuple(sorted(beats[system])),
            tuple(sorted(loses[system])),
        )
        for system in systems
    ]
