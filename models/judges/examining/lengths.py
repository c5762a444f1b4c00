"""Length bias of a judge: answers padded without content, and cut to the first sentence."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Literal

from medassay.models.chat.cap import Cap
from medassay.models.chat.ledger import Ledger
from medassay.models.judges.examining.licence import GoldPair, examined_pairs, own_mark
from medassay.models.judges.judgement import SUB_METRICS, Judge, JudgeInput, Judgement, SubMetric
from medassay.models.text.sentences.splitting import sentences

Change = Literal["padded", "terse"]
PADDING = (
    "A lot has been said about this over the years, and experiences are not the same everywhere. It is normal to have "
    "doubts. Nobody has to decide in a hurry, and another look does no harm."
)
"""Neutral sentences; none of their words may be put into a word list of a judge of ours."""
FEWEST_WORDS = 3
MOST_PAIRS = 12


@dataclass(frozen=True, slots=True)
class LengthShift:
    """What a change of length did to one sub-metric: the mean change in points, over `n` answers that were scored.

    `n_behind` counts the answers with a deliberate error in this sub-metric that got less than the right answer of
    their pair, and `n_overtaken` those of them that, padded, reached its mark or more. Both None for terse answers;
    `n_overtaken` also where none was behind.
    """

    change: Change
    sub_metric: SubMetric
    n: int
    mean_shift: float | None
    largest_shift: int | None
    n_behind: int | None = None
    n_overtaken: int | None = None


@dataclass(frozen=True, slots=True)
class LengthReport:
    """How sensitive one judge is to length."""

    judge: str
    shifts: tuple[LengthShift, ...]
    n_unscored: int
    reason: str | None = None
    """Why the first of the unscored answers has no marks."""


def padded(shown: JudgeInput) -> JudgeInput:
    """Return the answer with sentences behind it that say nothing of the case."""
    return replace(shown, answer=f"{shown.answer} {PADDING}")


def terse(shown: JudgeInput) -> JudgeInput | None:
    """Return the answer cut after its first sentence of substance; None where there is no second."""
    spans = sentences(shown.answer)
    long_ones = [s for s in spans if len(shown.answer[s.start : s.end].split()) >= FEWEST_WORDS]
    return replace(shown, answer=shown.answer[: long_ones[0].end]) if len(long_ones) > 1 else None


def counterfactuals() -> list[GoldPair]:
    """Choose the gold pairs whose answers are lengthened and cut: some of every sub-metric, never tuned on.

    The evidence pairs are left out: their two answers are alike, and their references have no length to speak of.
    """
    pairs = [pair for pair in examined_pairs() if pair.clean.answer != pair.flawed.answer]
    has_terse = [pair for pair in pairs if terse(pair.clean)]
    others = [pair for pair in pairs if not terse(pair.clean)]
    step = max(1, len(others) // max(1, MOST_PAIRS - len(has_terse)))
    return [*has_terse, *others[::step]][:MOST_PAIRS]


def inputs_of(pairs: Sequence[GoldPair]) -> list[JudgeInput]:
    """List every answer that has to be marked."""
    found = []
    for pair in pairs:
        found += [pair.clean, pair.flawed, padded(pair.clean), padded(pair.flawed)]
        if (short := terse(pair.clean)) is not None:
            found.append(short)
    return found


def examine_lengths(
    judge: Judge,
    ledger: Ledger,
    *,
    cap: Cap | None = None,
    on_done: Callable[[Judgement], None] | None = None,
) -> LengthReport:
    """Have a judge mark answers beside the same answers made longer and shorter."""
    pairs = counterfactuals()
    with judge as entered:
        judged = entered.judge(inputs_of(pairs), ledger, cap=cap, on_done=on_done)
    by_key = {judgement.input_key: judgement for judgement in judged}

    def mark(shown: JudgeInput, name: SubMetric) -> int | None:
        return own_mark(by_key[shown.input_key], name)

    shifts = []
    for name in SUB_METRICS:
        longer = [
            _shift(mark(shown, name), mark(padded(shown), name))
            for pair in pairs
            for shown in (pair.clean, pair.flawed)
        ]
        overtook = [
            told for pair in pairs if pair.sub_metric == name and (told := _overtakes(pair, mark)) is not None
        ]
        shorter = [
            _shift(mark(pair.clean, name), mark(short, name))
            for pair in pairs
            if (short := terse(pair.clean))
        ]
        shifts += [_summed("padded", name, longer, overtook), _summed("terse", name, shorter, None)]
    unscored = [one for one in by_key.values() if one.status != "scored"]
    return LengthReport(judge.name, tuple(shifts), len(unscored), unscored[0].reason if unscored else None)


def _shift(before: int | None, after: int | None) -> int | None:
    return None if before is None or after is None else after - before


def _overtakes(pair: GoldPair, mark: Callable[[JudgeInput, SubMetric], int | None]) -> bool | None:
    """Return whether the wrong answer, padded, catches up; None where it was not behind, or something has no mark."""
    right, wrong, longer = (
        mark(shown, pair.sub_metric) for shown in (pair.clean, pair.flawed, padded(pair.flawed))
    )
    if right is None or wrong is None or longer is None or wrong >= right:
        return None
    return right <= longer


def _summed(
    change: Change, name: SubMetric, shifts: Sequence[int | None], overtook: Sequence[bool] | None
) -> LengthShift:
    known = [shift for shift in shifts if shift is not None]
    n_behind, n_overtaken = (
        (None, None) if overtook is None else (len(overtook), sum(overtook) if overtook else None)
    )
    if not known:
        return LengthShift(change, name, 0, None, None, n_behind, n_overtaken)
    return LengthShift(change, name, len(known), fmean(known), max(known, key=abs), n_behind, n_overtaken)
