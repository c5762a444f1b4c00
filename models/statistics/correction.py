"""System means on the humans' scale: what a judge gave, beside what people would give, with an interval."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from medassay.models.counting import counted
from medassay.models.statistics.calibration import Calibration, Kind, calibrate, fit, out_of_fold
from medassay.models.statistics.estimate import Estimate, known
from medassay.models.statistics.prediction_powered import (
    Z_OF_95,
    Powered,
    powered_mean,
    prediction_powered_mean,
)
from medassay.models.statistics.resampling import LEAST_FOR_BOOTSTRAP, Floats
from medassay.models.statistics.seeds import Arranged, arrange

SYSTEMS_NAMED = 3


@dataclass(frozen=True, slots=True)
class Corrected:
    """A system's mean by the judge, in the judge's points, and corrected, in the humans'."""

    system: str | None
    raw: float | None
    corrected: Estimate
    n_answers: int
    n_labels: int


@dataclass(frozen=True, slots=True)
class _ByQuestion:
    """One system's answers, those to one question averaged; each array with the codes of its questions."""

    marks: Floats
    n_answers: int
    n_labels: int
    labelled: NDArray[np.int64]
    human: Floats
    predicted: Floats
    others: NDArray[np.int64]
    unlabelled: Floats


def correct(
    kind: Kind, questions: Sequence[str], systems: Sequence[str], automatic: ArrayLike, human: ArrayLike
) -> tuple[Calibration, list[Corrected]]:
    """Fit the map on every label, and correct each system's mean; the last row, without a system, is all of them.

    Labelled answers enter with predictions of maps that never saw their question, so that the map's own optimism is
    not taken for agreement. The labelled answers must be a random sample of each system's. All systems together are
    the mean over systems, each counting the same: people who scored one system say nothing of the others, so there is
    none unless every system has labels enough for an interval of its own.

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
    names = sorted(set(owner.tolist()))
    own = {name: _by_question(owner == name, codes, x, y, predicted) for name in names}
    return found, [*(_of_one(name, own[name]) for name in names), _of_all(own)]


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


def _by_question(
    own: NDArray[np.bool_], codes: NDArray[np.int64], automatic: Floats, human: Floats, predicted: Floats
) -> _ByQuestion:
    """Average a system's answers to one question, and part its questions into labelled and others."""
    marked = own & np.isfinite(automatic)
    labelled = marked & np.isfinite(human)
    rest = marked & ~np.isin(codes, codes[labelled])
    return _ByQuestion(
        _means(codes, automatic, marked),
        int(marked.sum()),
        int(labelled.sum()),
        np.unique(codes[labelled]),
        _means(codes, human, labelled),
        _means(codes, predicted, labelled),
        np.unique(codes[rest]),
        _means(codes, predicted, rest),
    )


def _means(codes: NDArray[np.int64], values: Floats, chosen: NDArray[np.bool_]) -> Floats:
    """Return the mean of each question's chosen values, in the order of the questions."""
    if not chosen.any():
        return np.zeros(0)
    kept, places = np.unique(codes[chosen], return_inverse=True)
    means: Floats = np.bincount(places, values[chosen]) / np.bincount(places, minlength=len(kept))
    return means


def _of_one(system: str, own: _ByQuestion) -> Corrected:
    estimate = prediction_powered_mean(own.human, own.predicted, own.unlabelled)
    return Corrected(system, _mean(own.marks), estimate, own.n_answers, own.n_labels)


def _of_all(own: dict[str, _ByQuestion]) -> Corrected:
    """Average the systems' corrected means; a question's answers vary together, so its parts are added first."""
    n_answers = sum(one.n_answers for one in own.values())
    n_labels = sum(one.n_labels for one in own.values())
    raw = _mean(np.array([one.marks.mean() for one in own.values() if one.n_answers]))
    lacking = {name: len(one.human) for name, one in own.items() if len(one.human) < LEAST_FOR_BOOTSTRAP}
    if lacking or not own:
        estimate = Estimate(None, None, None, n_labels, _lacking(lacking))
        return Corrected(None, raw, estimate, n_answers, n_labels)
    found = [(one, powered_mean(one.human, one.predicted, one.unlabelled)) for one in own.values()]
    value = math.fsum(powered.value for _, powered in found) / len(found)
    half = Z_OF_95 * math.sqrt(_variance_of_mean(found))
    useless = all(powered.trust == 0 for _, powered in found)
    reason = "the predictions add nothing for any system: the mean of the labels alone" if useless else None
    return Corrected(
        None, raw, Estimate(value, value - half, value + half, n_labels, reason), n_answers, n_labels
    )


def _variance_of_mean(found: Sequence[tuple[_ByQuestion, Powered]]) -> float:
    """Return the variance of the mean over systems, from what each question puts into it.

    A question weighs in with its deviation over the size of the part it stands in, in every system that answered it
    (the linearised estimator: Särndal, Swensson & Wretman 1992, Model Assisted Survey Sampling, §5.5).
    """
    n_codes = 1 + max(int(codes.max(initial=-1)) for one, _ in found for codes in (one.labelled, one.others))
    influence = np.zeros(n_codes)
    for one, powered in found:
        for codes, deviations in ((one.labelled, powered.errors), (one.others, powered.leanings)):
            n = len(deviations)
            if n > 1:
                # n / (n − 1) of the sample's variance, so that one system alone has its own interval.
                influence[codes] += deviations / math.sqrt(n * (n - 1)) / len(found)
    return float((influence**2).sum())


def _lacking(labelled_questions: dict[str, int]) -> str:
    if not labelled_questions:
        return "no answer has a mark"
    named = [
        f"{name} has {counted(n, 'labelled question')}"
        for name, n in sorted(labelled_questions.items(), key=lambda item: (item[1], item[0]))
    ]
    more = [f"{len(named) - SYSTEMS_NAMED} systems more have too few"] if len(named) > SYSTEMS_NAMED else []
    return (
        f"no mean of all systems: {', '.join([*named[:SYSTEMS_NAMED], *more])}, and each system needs"
        f" {LEAST_FOR_BOOTSTRAP}"
    )


def _mean(values: Floats) -> float | None:
    return known(values.mean()) if len(values) else None
