"""A ratio of sums, the `_micro` form of a metric: answers with more claims weigh more."""

from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from medassay.models.statistics.bootstrap import bounds
from medassay.models.statistics.estimate import Estimate
from medassay.models.statistics.resampling import Floats
from medassay.models.statistics.seeds import arrange


def ratio_of_sums(questions: Sequence[Hashable], numerators: ArrayLike, denominators: ArrayLike) -> Estimate:
    """Return Σ numerator / Σ denominator, its interval over whole questions; `n` is the sum of the denominators.

    The questions are resampled and not the claims, since those of one answer stand or fall together (Efron &
    Tibshirani 1993, An Introduction to the Bootstrap, §8.3; the ratio estimator, §10.5).

    Args:
        questions: the question of each answer.
        numerators: of each answer, NaN where it was not scored.
        denominators: of the same length.
    """
    rows = arrange(questions, numerators, denominators)
    sums = np.column_stack(
        [np.bincount(rows.codes, column, minlength=rows.n_questions) for column in rows.columns]
    )
    total = sums.sum(axis=0)
    if total[1] <= 0:
        return Estimate(
            None, None, None, 0, "every denominator is 0" if len(rows.codes) else "nothing was scored"
        )

    def statistic(drawn: Floats) -> Floats:
        over, under = (drawn @ sums).T
        found: Floats = np.divide(over, under, out=np.full(len(over), np.nan), where=under > 0)
        return found

    found = bounds(statistic, rows.n_questions, rows.seed)
    return Estimate(float(total[0] / total[1]), found.low, found.high, round(total[1]), found.reason)
