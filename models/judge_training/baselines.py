"""What a judge has to beat: an order of systems, chance, the longer answer, and a ridge on three plain features."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from medassay.models.judge_training.fitting import names_of
from medassay.models.judge_training.records import EvaluationCase
from medassay.models.judge_training.table import Scored, gold_of, laid_out
from medassay.models.statistics.bootstrap import seed_of
from medassay.models.statistics.pairs import tie_cut_off


def baselines(train: Sequence[EvaluationCase], test: Sequence[EvaluationCase]) -> list[Scored]:
    """Return the baselines' scores of the test cases; what is fitted is fitted to the training cases alone."""
    known = [case for case in train if _target(case)]
    return [
        *([majority(train, test)] if _share_systems(train, test) else []),
        all_tied(test),
        chance(test),
        longer(train, test),
        *([ridge(known, test)] if known else []),
        *([ridge(known, test, with_system=True)] if _share_systems(known, test) and known else []),
    ]


def majority(train: Sequence[EvaluationCase], test: Sequence[EvaluationCase]) -> Scored:
    """Score each system by its mean in training: always the same order, whatever the answers say."""
    means = _means_of_systems(train)
    scores = [[means.get(system, np.nan) for system in names_of(case)] for case in test]
    return Scored("same order of systems", laid_out(test, scores))


def _means_of_systems(train: Sequence[EvaluationCase]) -> dict[str, float]:
    given: dict[str, list[float]] = {}
    for case in train:
        for system, score in zip(names_of(case), _target(case) or (), strict=_target(case) is not None):
            given.setdefault(system, []).append(score)
    return {system: float(np.mean(scores)) for system, scores in given.items()}


def all_tied(test: Sequence[EvaluationCase]) -> Scored:
    """Give every answer the same."""
    return Scored("all tied", laid_out(test, [[3.0] * len(case.responses) for case in test]))


def chance(test: Sequence[EvaluationCase]) -> Scored:
    """Give every answer 1 to 5 points at random."""
    drawn = np.random.default_rng(seed_of(gold_of(test)))
    scores = [drawn.integers(1, 6, len(case.responses)).astype(float).tolist() for case in test]
    return Scored("random points", laid_out(test, scores))


def longer(train: Sequence[EvaluationCase], test: Sequence[EvaluationCase]) -> Scored:
    """Prefer the longer answer, in words; the cut-off for ties comes from training."""
    cut = tie_cut_off(_lengths(train), _targets(train)) if train else 0.0
    return Scored("longer answer", _lengths(test), cut)


def ridge(
    train: Sequence[EvaluationCase], test: Sequence[EvaluationCase], *, with_system: bool = False
) -> Scored:
    """Fit scores by ridge regression on cosine, length and place; each feature standardised, penalty 1.

    With the system, each answer's system adds its mean in training: the rank, where systems are ranks of a search.

    The cosine is of TF-IDF vectors (fitted in training), between the answer and the reference, or the question where
    there is none. The place counts from 1; it tells something where answers come in the order of a search.
    """
    from sklearn.linear_model import Ridge
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    known = [case for case in train if _target(case)]
    features = _Features(known, with_system)
    model = make_pipeline(StandardScaler(), Ridge(alpha=1.0))
    model.fit(
        np.concatenate([features.of(case) for case in known]),
        np.concatenate([np.array(_target(case)) for case in known]),
    )
    ours = laid_out(known, [model.predict(features.of(case)).tolist() for case in known])
    scores = laid_out(test, [model.predict(features.of(case)).tolist() for case in test])
    note = "it sees the reference answers" if any(case.reference for case in test) else None
    name = "ridge on cosine, length, place" + (", system" if with_system else "")
    return Scored(name, scores, tie_cut_off(ours, _targets(known)), note=note)


def _share_systems(train: Sequence[EvaluationCase], test: Sequence[EvaluationCase]) -> bool:
    """Return whether training knows every system of the test; of others it has no order."""
    known = {name for case in train for name in names_of(case)}
    return all(name in known for case in test for name in names_of(case))


class _Features:
    """Cosine to the reference or question, logarithm of the length, place; the system's mean where it is asked for."""

    def __init__(self, cases: Sequence[EvaluationCase], with_system: bool) -> None:
        from sklearn.feature_extraction.text import TfidfVectorizer

        self._means = _means_of_systems(cases) if with_system else None
        self._vectors = TfidfVectorizer(sublinear_tf=True)
        self._vectors.fit([text for case in cases for text in (_held_against(case), *case.responses)])

    def of(self, case: EvaluationCase) -> NDArray[np.float64]:
        against, *answers = self._vectors.transform([_held_against(case), *case.responses]).toarray()
        found = np.array(
            [
                [float(against @ answer), np.log1p(len(text.split())), place]
                for place, (answer, text) in enumerate(zip(answers, case.responses, strict=True), start=1)
            ]
        )
        if self._means is None:
            return found
        return np.column_stack([found, [self._means[system] for system in names_of(case)]])


def _held_against(case: EvaluationCase) -> str:
    return case.reference or case.question


def _target(case: EvaluationCase) -> tuple[float, ...] | None:
    """Return what a training case is fitted to: its gold scores, else its evaluator's."""
    return case.gold or (tuple(float(score) for score in case.scores) if case.scores else None)


def _targets(cases: Sequence[EvaluationCase]) -> NDArray[np.float64]:
    return laid_out(cases, [_target(case) for case in cases])


def _lengths(cases: Sequence[EvaluationCase]) -> NDArray[np.float64]:
    return laid_out(cases, [[float(len(text.split())) for text in case.responses] for case in cases])
