"""Nugget states from a reader's verdicts: three sentences of an answer as the passage, a nugget as the statement.

A nugget is read against the windows of an answer whose sentences are nearest to it in meaning, and each verdict belongs
to the nearest sentence of its window. The three probabilities decide by themselves; no words are compared.
"""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from medassay.models.nuggets.amounts import names_other_amount
from medassay.models.nuggets.behind_question import log_odds, passages_read
from medassay.models.nuggets.evidence import (
    ClaimText,
    Entailment,
    EntailRequest,
    Held,
    MatchSettings,
    PairJudgement,
    Relation,
)
from medassay.models.nuggets.windows import by_position, nearest_windows, passage_of
from medassay.models.records import PairVerdict
from medassay.models.text.claims.parts import claim_parts

if TYPE_CHECKING:
    import numpy as np

SURE = 0.9
"""A nugget of several facts whose whole is stated with less than this is read fact by fact."""
TURNED_FACT = 0.9
"""A fact counts as turned around from here on; an invented one often reads so with less (median .65)."""
SEVERAL_WINDOWS = 1.8
"""Taken off the log odds of a contradiction for each e-fold of windows that were read.

The highest of several probabilities is high by chance more often: with one window a contradiction counts from .5,
with two from .78, with five from .95, which was the best cut-off on long answers to K-QA questions left out.
"""
_LOG_ODDS_AT_THRESHOLD = math.log(3)


def pairs_to_read(
    claims: Sequence[ClaimText], nuggets: Sequence[str], similarity: "np.ndarray", settings: MatchSettings
) -> list[EntailRequest]:
    """List the distinct (window, nugget) pairs that `judge_by_reader` looks up first."""
    known = by_position(claims)
    found: dict[tuple[str, str], EntailRequest] = {}
    for position, claim, window in nearest_windows(claims, nuggets, similarity, settings):
        pair = (passage_of(window, known), nuggets[position])
        found.setdefault(pair, EntailRequest(*pair, claim, window, position))
    return list(found.values())


def parts_to_read(held: Held, entailment: Entailment, settings: MatchSettings) -> list[tuple[str, str]]:
    """List the (passage, fact) pairs of nuggets of several facts whose whole is not surely stated.

    Only the windows nearest in meaning are read again, and none that is plainly about something else.
    """
    found: dict[tuple[str, str], None] = {}
    for position, claim, passage, led in passages_read(held, entailment, settings):
        nugget = held.nuggets[position]
        verdict = entailment.get((passage, nugget))
        near = led or float(held.similarity[_row(held.claims, claim), position]) >= settings.shortlist_floor
        if near and verdict is not None and (verdict.entailment or 0.0) < SURE:
            found.update(dict.fromkeys((passage, part) for part in claim_parts(nugget)))
    return list(found)


def judge_by_reader(held: Held, entailment: Entailment, settings: MatchSettings) -> list[PairJudgement]:
    """Judge every (claim, nugget) that was read; of several windows under one claim the most decided counts.

    The score is the probability that decides, on a scale on which one half becomes the default threshold of 0.75;
    `covered` needs every fact of the nugget that was read, and one that is turned around turns the nugget. Where one
    window states a nugget and another turns it around, the surer of the two counts. What states it but for another dose
    or concentration contradicts it.
    """
    read: dict[int, list[tuple[int, str, bool]]] = {}
    for position, claim, passage, led in passages_read(held, entailment, settings):
        read.setdefault(position, []).append((claim, passage, led))
    found = []
    for position, rows in read.items():
        nugget = held.nuggets[position]
        verdicts = {passage: entailment.get((passage, nugget)) for _, passage, _ in rows}
        stated = max(scaled((v and v.entailment) or 0.0) for v in verdicts.values())
        for claim, passage, led in rows:
            verdict = verdicts[passage]
            if verdict is None or verdict.entailment is None:
                found.append(PairJudgement(claim, position, 0.0, "none", "the reader gave no verdict"))
                continue
            parts = [(part, entailment.get((passage, part))) for part in claim_parts(nugget)]
            relation, score, reason = _decided(verdict, len(verdicts), parts, stated, settings)
            if relation == "covered" and names_other_amount(passage, nugget):
                relation, reason = "contradicted", "the answer says so, but of another amount"
            if led:
                reason += ", read behind the question"
            found.append(PairJudgement(claim, position, round(score, 6), relation, reason))
    return found


def _decided(
    verdict: PairVerdict,
    n_windows: int,
    parts: Sequence[tuple[str, PairVerdict | None]],
    stated_anywhere: float,
    settings: MatchSettings,
) -> tuple[Relation, float, str]:
    says = scaled(verdict.entailment or 0.0)
    otherwise = scaled(cautious(verdict.contradiction or 0.0, n_windows))
    is_turned = otherwise >= settings.threshold and otherwise > stated_anywhere
    read = [(part, v) for part, v in parts if v is not None and v.entailment is not None]
    turned = [part for part, v in read if (v.contradiction or 0.0) >= TURNED_FACT]
    stated = [part for part, v in read if scaled(v.entailment or 0.0) >= settings.threshold]
    if stated and turned:
        return "contradicted", max(otherwise, settings.threshold), f"turned around: *{turned[0]}*"
    if stated and len(stated) < len(read):
        missing = next(part for part, _ in read if part not in stated)
        return "partial", says, f"{len(stated)} of {len(read)} facts stated, not *{missing}*"
    if is_turned:
        return "contradicted", otherwise, f"the answer says otherwise ({verdict.contradiction:.2f})"
    if says >= settings.threshold:
        return "covered", says, f"the answer says so ({verdict.entailment:.2f})"
    neutral = verdict.neutral or 0.0
    neither = f"the answer says neither ({neutral:.2f})"
    if neutral < 0.5:
        neither = f"undecided: says so {verdict.entailment:.2f}, otherwise {verdict.contradiction or 0.0:.2f}"
    if otherwise >= settings.threshold:
        neither = f"otherwise here ({verdict.contradiction:.2f}), but more surely so elsewhere in the answer"
    return "none", min(says, settings.threshold - 1e-6), neither


def scaled(probability: float) -> float:
    """Put a probability on the scores' scale: one half becomes 0.75."""
    return 1 / (1 + math.exp(-(log_odds(probability) + _LOG_ODDS_AT_THRESHOLD)))


def cautious(probability: float, n_windows: int) -> float:
    """Take off the log odds what the highest of `n_windows` probabilities gains by chance."""
    return 1 / (1 + math.exp(-(log_odds(probability) - SEVERAL_WINDOWS * math.log(max(1, n_windows)))))


def _row(claims: Sequence[ClaimText], position: int) -> int:
    return next(row for row, claim in enumerate(claims) if claim.position == position)
