"""A human mean from few labels and many automatic scores, valid however poor the scores are."""

import math

import numpy as np
from numpy.typing import ArrayLike

from models.counting import too_few
from models.statistics.estimate import Estimate
from models.statistics.resampling import LEAST_FOR_BOOTSTRAP, Floats

LEAST_UNLABELLED = 2


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
    n, m = len(y), len(more)
    if n < LEAST_FOR_BOOTSTRAP:
        value = math.fsum(y) / n if n else None
        return Estimate(value, None, None, n, too_few(n, "labelled question", "to correct predictions"))
    trust = _trust(y, f, more)
    value = math.fsum(y) / n + (trust * (math.fsum(more) / m - math.fsum(f) / n) if m else 0.0)
    error = y - trust * f
    variance = float(error.var(ddof=1)) / n + (trust**2 * float(more.var(ddof=1)) / m if m > 1 else 0.0)
    from scipy.special import ndtri

    half = float(ndtri(0.975)) * math.sqrt(variance)
    return Estimate(value, value - half, value + half, n, None if trust > 0 else _without_predictions(m))


def _without_predictions(n_unlabelled: int) -> str:
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
