"""System means on the humans' scale: what a judge gave, beside what people would give, with an interval."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from models.statistics.calibration import Calibration, Kind, calibrate, fit, out_of_fold
from models.statistics.estimate import Estimate, known
from models.statistics.prediction_powered import prediction_powered_mean
from models.statistics.resampling import Floats
from models.statistics.seeds import Arranged, arrange


@dataclass(frozen=True, slots=True)
class Corrected:
    """A system's mean by the judge, in the judge's points, and corrected, in the humans'."""

    system: str | None
    raw: float | None
    corrected: Estimate
    n_answers: int
    n_labels: int


def correct(
    kind: Kind, questions: Sequence[str], systems: Sequence[str], automatic: ArrayLike, human: ArrayLike
) -> tuple[Calibration, list[Corrected]]:
    """Fit the map on every label, and correct each system's mean; the last row, without a system, is all of them.

    Labelled answers enter with predictions of maps that never saw their question, so that the map's own optimism is
    not taken for agreement. The labelled answers must be a random sample of all.

    Args:
        kind: linear or isotonic.
        questions: the question of each answer.
        systems: its system.
        automatic: the judge's mark, NaN where there is none.
        human: people's mean, NaN where nobody scored.
    """
    x, y = np.asarray(automatic, dtype=np.float64), np.asarray(human, dtype=np.float64)
    found = calibrate(kind, questions, x, y)
    predicted = predictions(kind, questions, x, y)
    codes = np.unique(np.asarray(questions, dtype=object).astype(str), return_inverse=True)[1]
    owner = np.asarray(systems, dtype=object).astype(str)
    rows = [_of(system, owner == system, codes, x, y, predicted) for system in sorted(set(owner.tolist()))]
    return found, [*rows, _of(None, np.ones(len(x), dtype=np.bool_), codes, x, y, predicted)]


def predictions(kind: Kind, questions: Sequence[str], automatic: Floats, human: Floats) -> Floats:
    """Predict the human score of every answer: out of fold where it is labelled, by the whole map where it is not."""
    placed = arrange(questions, automatic, human, np.arange(len(automatic), dtype=np.float64))
    x, y, place = placed.columns
    predicted = np.full(len(automatic), np.nan)
    if placed.n_questions < 2:
        return predicted
    labelled = Arranged(placed.codes, (x, y), placed.n_questions, arrange(questions, automatic, human).seed)
    predicted[place.astype(np.int64)] = out_of_fold(kind, labelled)[0]
    rest = np.isfinite(automatic) & ~np.isfinite(human)
    predicted[rest] = fit(kind, x, y).apply(automatic[rest])
    return predicted


def _of(
    system: str | None,
    own: NDArray[np.bool_],
    codes: NDArray[np.int64],
    automatic: Floats,
    human: Floats,
    predicted: Floats,
) -> Corrected:
    """Correct the mean over questions of some answers; those to one question are averaged first."""
    marked = own & np.isfinite(automatic)
    labelled = marked & np.isfinite(human)
    rest = marked & ~np.isin(codes, codes[labelled])
    estimate = prediction_powered_mean(
        _by_question(codes, human, labelled),
        _by_question(codes, predicted, labelled),
        _by_question(codes, predicted, rest),
    )
    raw = _by_question(codes, automatic, marked)
    return Corrected(
        system, known(raw.mean()) if len(raw) else None, estimate, int(marked.sum()), int(labelled.sum())
    )


def _by_question(codes: NDArray[np.int64], values: Floats, chosen: NDArray[np.bool_]) -> Floats:
    """Return the mean of each question's chosen values, in the order of the questions."""
    if not chosen.any():
        return np.zeros(0)
    kept, places = np.unique(codes[chosen], return_inverse=True)
    means: Floats = np.bincount(places, values[chosen]) / np.bincount(places, minlength=len(kept))
    return means
