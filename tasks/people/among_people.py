"""Agreement between annotators: the ceiling for automatic scores."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from medassay.models.statistics.alpha import Level
from medassay.models.statistics.bootstrap import Estimate
from medassay.models.statistics.correlation import Method
from medassay.models.statistics.system_level import SplitHalf
from medassay.sql.warehouse import Row
from medassay.tasks.people.human_scores import DECIMALS, HUMANS, Human, agreement_row, mean_of

AGREE, DIFFER = "people agree", "people differ"


def ceiling(method: Method, human: Human) -> SplitHalf:
    """Return how well half of the questions' human scores order the systems as the other half does."""
    from medassay.models.statistics.system_level import split_half

    return split_half(method, human.test)


def between_annotators(method: Method, human: Human) -> float | None:
    """Return the mean coefficient of one annotator with the mean of the others, None for fewer than two.

    Over the answers where agreement is measured and both sides scored: what a person reaches in the metric's place.
    """
    from medassay.models.statistics.correlation import coefficients

    found, ratings = [], human.measured
    for place, one in enumerate(ratings):
        others = mean_of(np.delete(ratings, place, axis=0))
        both = np.isfinite(one) & np.isfinite(others)
        if both.sum() > 1:
            found.append(coefficients(method, one[both][None], others[both][None])[0])
    sound = [float(value) for value in found if np.isfinite(value)]
    return float(np.mean(sound)) if sound else None


def disagreement_strata(human: Human) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """Yield the answers on which annotators are as near to each other as in the nearer half, and the rest.

    Where half of the answers or more were scored alike by all, the first are exactly those. What only one person
    scored is in neither; where all answers would be in one of them, there are no strata.
    """
    ratings = human.measured
    scored = np.isfinite(ratings)
    several = scored.sum(axis=0) > 1
    if not several.any():
        return
    highest = np.where(scored, ratings, -np.inf).max(axis=0)
    lowest = np.where(scored, ratings, np.inf).min(axis=0)
    spread = np.subtract(highest, lowest, out=np.zeros(several.shape), where=several).round(DECIMALS)
    near = several & (spread <= np.median(spread[several]))
    if (near == several).all():
        return
    yield AGREE, near
    yield DIFFER, several & ~near


def of_annotators(human: Human) -> list[Row]:
    """Measure how far people agree among themselves, where several scored."""
    from medassay.models.statistics.icc import icc2

    ratings = human.measured.reshape(len(human.by_annotator), -1)
    ratings = ratings[np.isfinite(ratings).any(axis=1)]
    if len(ratings) < 2:
        return []
    kept, left_out = rated_together(ratings)
    found = icc2(kept.T)
    alpha = alpha_among(ratings)
    rows = [
        agreement_row(human.metric, HUMANS, "answer", measure, estimate)
        for measure, estimate in (
            ("ICC(2,1)", found.single),
            ("ICC(2,k)", found.average),
            ("Krippendorff's α", alpha),
        )
    ]
    for row in rows[:2]:
        row["reason"] = "; ".join(reason for reason in (left_out, row["reason"]) if reason) or None
    return rows


def alpha_among(ratings: NDArray[np.float64], level: Level | None = None) -> Estimate:
    """Return Krippendorff's α of (raters, items) at the named level, or at what the ratings show; it says which."""
    from medassay.models.statistics.alpha import krippendorff_alpha, level_of

    level = level or level_of(ratings)
    found = krippendorff_alpha(ratings, level)
    said = [f"α at the {level} level of measurement", found.reason]
    return replace(found, reason="; ".join(part for part in said if part))


def rated_together(ratings: NDArray[np.float64]) -> tuple[NDArray[np.float64], str | None]:
    """Return the raters over whom an ICC is best measured, and how many were left out.

    It needs answers that every rater scored. Raters join in the order of how much they scored, as long as the scores
    of answers that all of them gave become more: somebody who scored two answers must not leave two of a hundred.
    """
    order = np.argsort(-np.isfinite(ratings).sum(axis=1), kind="stable")
    shared = np.logical_and.accumulate(np.isfinite(ratings[order]), axis=0).sum(axis=1)
    sizes = np.arange(1, len(ratings) + 1) * shared
    n = 2 + int(np.argmax(sizes[1:]))
    if n == len(ratings):
        return ratings, None
    return ratings[
        np.sort(order[:n])
    ], f"the {n} of {len(ratings)} annotators who scored most of the same answers"
