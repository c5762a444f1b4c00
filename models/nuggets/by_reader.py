"""Nugget states from a reader's verdicts: three sentences of an answer as the passage, a nugget as the statement.

A nugget is read against the windows of an answer whose sentences are nearest to it in meaning, and each verdict belongs
to the nearest sentence of its window. The three probabilities decide by themselves; no words are compared.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from medassay.models.nuggets.evidence import (
    ClaimText,
    Entailment,
    EntailRequest,
    MatchSettings,
    PairJudgement,
    Relation,
)
from medassay.models.records import PairVerdict
from medassay.models.text.claims.parts import claim_parts

if TYPE_CHECKING:
    import numpy as np

LED = 10  # claims that a heading or an introducing line is read with

WINDOW = 3
"""Sentences a window: on K-QA questions that nobody tuned on κ was .56 against .44 for whole answers."""
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


def by_position(claims: Sequence[ClaimText]) -> dict[int, ClaimText]:
    """Index claims by position.

    Raises:
        ValueError: for a position given twice, since a verdict would then belong to two claims.
    """
    found = {claim.position: claim for claim in claims}
    if len(found) != len(claims):
        raise ValueError("two claims share a position; give each claim of an answer its own")
    return found


def lead_text(position: int, claims: Mapping[int, ClaimText]) -> str:
    """Return the heading or the line that introduces what stands at a position; empty where there is none."""
    for place in range(position - 1, position - 1 - LED, -1):
        if place in claims and claims[place].leads:
            return claims[place].text
    return ""


def windows_of(claims: Sequence[ClaimText]) -> dict[int, tuple[int, ...]]:
    """Return by claim position the positions of the sentences that it is read with, in order, its own among them.

    The claims that assert something in runs of three around each; of a shorter answer all.
    """
    asserted = sorted(claim.position for claim in claims if claim.kind == "claim")
    found = {}
    for place, position in enumerate(asserted):
        start = max(0, min(place - WINDOW // 2, len(asserted) - WINDOW))
        found[position] = tuple(asserted[start : start + WINDOW])
    return found


def passage_of(window: Sequence[int], claims: dict[int, ClaimText]) -> str:
    """Return a window's text, one claim a line, below the heading or the line that introduces its first claim."""
    lead = lead_text(window[0], claims).strip()
    lines = [claims[position].text.strip() for position in window]
    return "\n".join([lead, *lines] if lead and lead not in lines else lines)


def nearest_windows(
    claims: Sequence[ClaimText], nuggets: Sequence[str], similarity: "np.ndarray", settings: MatchSettings
) -> Iterator[tuple[int, int, tuple[int, ...]]]:
    """Yield (nugget position, claim position, window) of what is read, nearest first for every nugget.

    A nugget's `windows_a_nugget` nearest windows, each under its nearest claim; and every claim beside the nugget that
    it is nearest to, where it is as near as `shortlist_floor`.
    """
    import numpy as np

    rows = [index for index, claim in enumerate(claims) if claim.kind == "claim"]
    if not rows or not nuggets:
        return
    cosines = np.round(np.asarray(similarity, dtype=np.float64)[rows], 6)
    windows = windows_of(claims)
    row_of = {claims[index].position: row for row, index in enumerate(rows)}
    nearest_nugget = cosines.argmax(axis=1)
    for position in range(len(nuggets)):
        column = cosines[:, position]
        ranked = sorted(range(len(rows)), key=lambda row: (-column[row], claims[rows[row]].text, row))
        n_taken = 0
        for row in ranked:
            claim = claims[rows[row]].position
            window = windows[claim]
            if claim != max(window, key=lambda place: (column[row_of[place]], -place)):
                continue  # the window's nearest claim stands for it
            is_its_nearest = nearest_nugget[row] == position and column[row] >= settings.shortlist_floor
            if n_taken < settings.windows_a_nugget or is_its_nearest:
                n_taken += 1
                yield position, claim, window


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


def parts_to_read(
    claims: Sequence[ClaimText],
    nuggets: Sequence[str],
    similarity: "np.ndarray",
    entailment: Entailment,
    settings: MatchSettings,
) -> list[tuple[str, str]]:
    """List the (window, fact) pairs of nuggets of several facts whose whole is not surely stated.

    Only the windows nearest in meaning are read again, and none that is plainly about something else.
    """
    known = by_position(claims)
    found: dict[tuple[str, str], None] = {}
    for position, claim, window in nearest_windows(claims, nuggets, similarity, settings):
        nugget, passage = nuggets[position], passage_of(window, known)
        verdict = entailment.get((passage, nugget))
        near = float(similarity[_row(claims, claim), position]) >= settings.shortlist_floor
        if near and verdict is not None and (verdict.entailment or 0.0) < SURE:
            found.update(dict.fromkeys((passage, part) for part in claim_parts(nugget)))
    return list(found)


def judge_by_reader(
    claims: Sequence[ClaimText],
    nuggets: Sequence[str],
    similarity: "np.ndarray",
    entailment: Entailment,
    settings: MatchSettings,
) -> list[PairJudgement]:
    """Judge every (claim, nugget) that was read; of several windows under one claim the most decided counts.

    The score is the probability that decides, on a scale on which one half becomes the default threshold of 0.75;
    `covered` needs every fact of the nugget that was read, and one that is turned around turns the nugget. Where one
    window states a nugget and another turns it around, the surer of the two counts.
    """
    known = by_position(claims)
    read: dict[int, list[tuple[int, tuple[int, ...], PairVerdict | None]]] = {}
    for position, claim, window in nearest_windows(claims, nuggets, similarity, settings):
        read.setdefault(position, []).append(
            (claim, window, entailment.get((passage_of(window, known), nuggets[position])))
        )
    found = []
    for position, rows in read.items():
        n_windows = len({window for _, window, _ in rows})
        stated = max(scaled((v and v.entailment) or 0.0) for _, _, v in rows)
        for claim, window, verdict in rows:
            if verdict is None or verdict.entailment is None:
                found.append(PairJudgement(claim, position, 0.0, "none", "the reader gave no verdict"))
                continue
            passage = passage_of(window, known)
            parts = [(part, entailment.get((passage, part))) for part in claim_parts(nuggets[position])]
            relation, score, reason = _decided(verdict, n_windows, parts, stated, settings)
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
    neither = f"the answer says neither ({verdict.neutral or 0.0:.2f})"
    if otherwise >= settings.threshold:
        neither = f"otherwise here ({verdict.contradiction:.2f}), but more surely so elsewhere in the answer"
    return "none", min(says, settings.threshold - 1e-6), neither


def scaled(probability: float) -> float:
    """Put a probability on the scores' scale: one half becomes 0.75."""
    clipped = min(max(probability, 1e-9), 1 - 1e-9)
    return 1 / (1 + math.exp(-(math.log(clipped / (1 - clipped)) + _LOG_ODDS_AT_THRESHOLD)))


def cautious(probability: float, n_windows: int) -> float:
    """Take off the log odds what the highest of `n_windows` probabilities gains by chance."""
    clipped = min(max(probability, 1e-9), 1 - 1e-9)
    return 1 / (
        1 + math.exp(-(math.log(clipped / (1 - clipped)) - SEVERAL_WINDOWS * math.log(max(1, n_windows))))
    )


def _row(claims: Sequence[ClaimText], position: int) -> int:
    return next(row for row, claim in enumerate(claims) if claim.position == position)
