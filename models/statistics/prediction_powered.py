"""A human mean from few labels and many automatic scores, valid however poor the scores are."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from medassay.models.counting import too_few
from medassay.models.statistics.estimate import Estimate
from medassay.models.statistics.resampling import LEAST_FOR_BOOTSTRAP, Floats

LEAST_UNLABELLED = 2
Z_OF_95 = 1.959963984540054


@dataclass(frozen=True, slots=True)
class Powered:
    """A corrected mean and what its variance is made of.

    `errors` are the deviations of label − trust × prediction from their mean, one a labelled question; `leanings`
    those of trust × prediction, one a question without a label.
    """

    value: float
    trust: float
    errors: Floats
    leanings: Floats

    @property
    def variance(self) -> float:
        """Return the variance of the value."""
        return _variance_of_mean(self.errors) + _variance_of_mean(self.leanings)


def _variance_of_mean(deviations: Floats) -> float:
    n = len(deviations)
    return float((deviations**2).sum()) / (n * (n - 1)) if n > 1 else 0.0


def prediction_powered_mean(human: ArrayLike, predicted: ArrayLike, unlabelled: ArrayLike) -> Estimate:
    """Return the mean human score of all answers, from the labelled ones and predictions for the others.

    The predictions' mean, put right by their mean error on the labels: Angelopoulos et al. 2023, Science 382:669–674;
    how far to trust the predictions is chosen as in PPI++ (Angelopoulos, Duchi & Zrnic 2023, arXiv 2311.01453, §6), so
    that useless ones leave the plain mean of the labels. One value a question: answers to one are not independent.
    Predictions must not come from a map fitted on the same labels; `calibration.out_of_fold` gives such.

    Args:
        human: labels, one a question.
        predicted: predictions for the same questions.
        unlabelled: predictions for the other questions.
    """
    y, f = np.asarray(human, dtype=np.float64), np.asarray(predicted, dtype=np.float64)
    both = np.isfinite(y) & np.isfinite(f)
    y, f = y[both], f[both]
    more = np.asarray(unlabelled, dtype=np.float64)
    more = more[np.isfinite(more)]
    n = len(y)
    if n < LEAST_FOR_BOOTSTRAP:
        value = math.fsum(y) / n if n else None
        return Estimate(value, None, None, n, too_few(n, "labelled question", "to correct predictions"))
    found = powered_mean(y, f, more)
    half = Z_OF_95 * math.sqrt(found.variance)
    reason = None if found.trust > 0 else _without_predictions(y, len(more))
    return Estimate(found.value, found.value - half, found.value + half, n, reason)


def powered_mean(human: Floats, predicted: Floats, unlabelled: Floats) -> Powered:
    """Do the same without an interval; every value has to be a number, and there has to be a label."""
    n, m = len(human), len(unlabelled)
    trust = _trust(human, predicted, unlabelled)
    value = math.fsum(human) / n
    if m:
        value += trust * (math.fsum(unlabelled) / m - math.fsum(predicted) / n)
    error = human - trust * predicted
    leaning = trust * (unlabelled - unlabelled.mean()) if m > 1 else np.zeros(0)
    return Powered(value, trust, error - error.mean(), leaning)


def _without_predictions(human: Floats, n_unlabelled: int) -> str:
    if np.ptp(human) == 0:
        return "every label is the same, so no prediction can add to them: their mean alone"
    if n_unlabelled < LEAST_UNLABELLED:
        return "hardly a question is without labels: their mean alone"
    return "the predictions tell nothing about the labels: the mean of the labels alone"


def _trust(y: Floats, f: Floats, more: Floats) -> float:
    """Return the weight of the predictions, 0 to 1, that makes the variance least."""
    if len(more) < LEAST_UNLABELLED:
        return 0.0
    spread = float(np.concatenate([f, more]).var(ddof=1))
    if spread <= 0:
        return 0.0
    shared = float(((y - y.mean()) * (f - f.mean())).sum() / (len(y) - 1))
    return min(1.0, max(0.0, shared / ((1 + len(y) / len(more)) * spread)))
