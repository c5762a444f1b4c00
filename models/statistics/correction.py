"""System means on the humans' scale: what a judge gave, beside what people would give, with an interval."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from medassay.models.counting import counted, too_few
from medassay.models.statistics.bootstrap import Arranged, Estimate, arrange, known
from medassay.models.statistics.calibration import Calibration, Kind, calibrate, fit, out_of_fold
from medassay.models.statistics.resampling import LEAST_FOR_BOOTSTRAP, Floats

LEAST_UNLABELLED = 2
Z_OF_95 = 1.959963984540054

SYSTEMS_NAMED = 3


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
        return _variance_of_one_mean(self.errors) + _variance_of_one_mean(self.leanings)


def _variance_of_one_mean(deviations: Floats) -> float:
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
