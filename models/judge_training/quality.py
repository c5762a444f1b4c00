"""The quality classifier: does an evaluation pass as experts would pass it? Sentence embeddings, an SVC, a grid search.

It learns from cases that experts checked and is measured on questions that it did not learn from.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from medassay.models.judge_training.folder import JudgeData
from medassay.models.judge_training.questions import question_text_key
from medassay.models.judge_training.records import EvaluationCase
from medassay.models.statistics.ratio import ratio_of_sums, wilson
from medassay.models.usage import UsageError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from medassay.models.embedding import Embedder

LEAST_OF_A_KIND = 10
"""The fewest questions with a case that passes, and with one that fails, that can be learnt from and measured on."""
MOST_FOLDS = 5
HELD_OUT = 0.25
GRID: dict[str, list[Any]] = {
    "svc__kernel": ["linear", "rbf"],
    "svc__C": [0.01, 0.1, 1.0, 10.0, 100.0],
    "svc__class_weight": [None, "balanced"],
}
"""60 % to 95 % of checked cases pass, hence the weights; with `scale`, γ follows the vectors' variance."""


@dataclass(frozen=True, slots=True)
class Classifier:
    """A trained classifier: `quality` is the probability that experts pass a case, from 0 to 1."""

    pipeline: Any
    embedder: "Embedder"

    def quality(self, cases: Sequence[EvaluationCase]) -> list[float]:
        """Return the quality of each case."""
        if not cases:
            return []
        probabilities = self.pipeline.predict_proba(vectors_of(cases, self.embedder))[:, 1]
        return [float(value) for value in probabilities]


def vectors_of(cases: Sequence[EvaluationCase], embedder: "Embedder") -> "NDArray[np.float32]":
    """Embed cases: float32, shape (n, 3 × dimension): the question, the responses' mean, the evaluation."""
    import numpy as np

    texts = [text for case in cases for text in (case.question, case.evaluation, *case.responses)]
    encoded = embedder.encode(texts)
    rows, start = [], 0
    for case in cases:
        question, evaluation = encoded[start], encoded[start + 1]
        responses = encoded[start + 2 : start + 2 + len(case.responses)]
        start += 2 + len(case.responses)
        rows.append(np.concatenate([question, responses.mean(axis=0), evaluation]))
    return np.stack(rows)


def train(
    cases: Sequence[EvaluationCase], embedder: "Embedder", *, seed: int = 0, threshold: float | None = None
) -> tuple[Classifier, dict[str, Any]]:
    """Train on the checked cases of three quarters of their questions, measure on the rest, return both.

    The grid is searched by cross-validation over whole questions, and the winner's decision values are made
    probabilities by Platt's sigmoid, fitted out of fold. The classifier that is returned is the one that was measured.

    Args:
        cases: checked ones among them; a case passes where no expert failed it on any criterion.
        embedder: any sentence-embedding model.
        seed: draws the questions that are held out.
        threshold: the least quality of a case that is kept; unless given, the one of best balanced accuracy over what
            is learnt from, each case judged by folds that did not learn from it.

    Raises:
        UsageError: when too few questions have a case that passes, or one that fails.
    """
    import numpy as np

    checked = [case for case in cases if case.expert_labels]
    passes = np.array([all(label.passes for label in case.expert_labels) for case in checked], dtype=int)
    questions = np.array([question_text_key(case.question) for case in checked])
    _refuse_too_few(passes, questions)
    vectors = vectors_of(checked, embedder)
    learn, held = _held_out(passes, questions, seed)
    search, pipeline, out_of_fold = _fit(vectors[learn], passes[learn], questions[learn], seed)
    is_given = threshold is not None
    least = threshold if threshold is not None else _best_threshold(out_of_fold, passes[learn])
    classifier = Classifier(pipeline, embedder)
    quality = pipeline.predict_proba(vectors[held])[:, 1]
    card = {
        "embedder": embedder.fingerprint,
        "threshold": least,
        "threshold_is": "given" if is_given else "that of best balanced accuracy, out of fold",
        "seed": seed,
        "n_checked": len(checked),
        "n_passing": int(passes.sum()),
        "n_learnt_from": len(learn),
        "n_questions_learnt_from": len(set(questions[learn])),
        "held_out": {"threshold": least, **measured(quality >= least, passes[held], questions[held])},
        "grid": {
            "searched": GRID,
            "best": search.best_params_,
            "best_balanced_accuracy": float(search.best_score_),
            "folds": search.n_splits_,
            "tried": [
                {**params, "balanced_accuracy": float(mean), "deviation": float(deviation)}
                for params, mean, deviation in zip(
                    search.cv_results_["params"],
                    search.cv_results_["mean_test_score"],
                    search.cv_results_["std_test_score"],
                    strict=True,
                )
            ],
        },
    }
    return classifier, card


def classified(data: JudgeData, classifier: Classifier, card: dict[str, Any]) -> JudgeData:
    """Return the data with the quality of every scored case, and with the classifier's card in its own."""
    scored = [case for case in data.cases if case.status == "scored"]
    quality = dict(zip((case.case_id for case in scored), classifier.quality(scored), strict=True))
    cases = [replace(case, quality=quality.get(case.case_id)) for case in data.cases]
    return replace(data, cases=cases, card={**data.card, "quality": card})


def measured(
    kept: "NDArray[np.bool_]", passes: "NDArray[np.int_]", questions: "NDArray[np.str_]"
) -> dict[str, Any]:
    """Return accuracy with its intervals, confusion and what always keeping would reach.

    Wilson's interval takes cases for independent; the other resamples whole questions, whose cases are not.
    """
    right = kept == (passes == 1)
    n = len(right)
    kept_and = Counter(zip(kept.tolist(), passes.tolist(), strict=True))
    share_passing = wilson(int(passes.sum()), n)
    kept_passing = wilson(kept_and[True, 1], int(kept.sum()))
    return {
        "n_cases": n,
        "n_questions": len(set(questions.tolist())),
        "accuracy": asdict(wilson(int(right.sum()), n)),
        "accuracy_over_questions": asdict(ratio_of_sums(questions.tolist(), right.astype(float), [1.0] * n)),
        "balanced_accuracy": _balanced(kept_and),
        "accuracy_of_always_keeping": share_passing.value,
        "passing_among_kept": asdict(kept_passing),
        "passing_among_all": asdict(share_passing),
        "confusion": {
            "kept_and_passes": kept_and[True, 1],
            "kept_and_fails": kept_and[True, 0],
            "dropped_and_passes": kept_and[False, 1],
            "dropped_and_fails": kept_and[False, 0],
        },
    }


def _balanced(counts: Counter[tuple[bool, int]]) -> float | None:
    passing = counts[True, 1] + counts[False, 1]
    failing = counts[True, 0] + counts[False, 0]
    if not passing or not failing:
        return None
    return (counts[True, 1] / passing + counts[False, 0] / failing) / 2


def _refuse_too_few(passes: "NDArray[np.int_]", questions: "NDArray[np.str_]") -> None:
    for value, what in ((1, "passes"), (0, "fails")):
        n = len(set(questions[passes == value].tolist()))
        if n < LEAST_OF_A_KIND:
            raise UsageError(
                f"only {n} questions have a checked case that {what}, and {LEAST_OF_A_KIND} are needed:"
                " export, fill in and import a larger sheet"
            )


def _held_out(
    passes: "NDArray[np.int_]", questions: "NDArray[np.str_]", seed: int
) -> tuple["NDArray[np.int_]", "NDArray[np.int_]"]:
    """Return the places of cases to learn from, and of those held out: whole questions, both kinds in both."""
    from sklearn.model_selection import StratifiedGroupKFold

    folds = StratifiedGroupKFold(n_splits=round(1 / HELD_OUT), shuffle=True, random_state=seed)
    learn, held = next(iter(folds.split(passes[:, None], passes, questions)))
    return learn, held


def _fit(
    vectors: "NDArray[np.float32]", passes: "NDArray[np.int_]", questions: "NDArray[np.str_]", seed: int
) -> tuple[Any, Any, "NDArray[np.float64]"]:
    """Search the grid, then calibrate the best; return the search, the pipeline and out-of-fold probabilities."""
    from sklearn.calibration import CalibratedClassifierCV
    from sklearn.model_selection import GridSearchCV, StratifiedGroupKFold, cross_val_predict
    from sklearn.pipeline import Pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVC

    kinds = [len(set(questions[passes == value].tolist())) for value in (0, 1)]
    folds = StratifiedGroupKFold(min(MOST_FOLDS, *kinds), shuffle=True, random_state=seed)
    pipeline = Pipeline([("scale", StandardScaler()), ("svc", SVC(random_state=seed))])
    places = list(folds.split(vectors, passes, questions))
    search = GridSearchCV(pipeline, GRID, scoring="balanced_accuracy", cv=places, refit=False)
    search.fit(vectors, passes)
    best = pipeline.set_params(**search.best_params_)
    calibrated = CalibratedClassifierCV(best, method="sigmoid", cv=places, ensemble=False)
    calibrated.fit(vectors, passes)
    decisions = cross_val_predict(best, vectors, passes, cv=places, method="decision_function")
    (sigmoid,) = calibrated.calibrated_classifiers_[0].calibrators
    return search, calibrated, sigmoid.predict(decisions)


def _best_threshold(probabilities: "NDArray[np.float64]", passes: "NDArray[np.int_]") -> float:
    """Return the threshold between two probabilities at which balanced accuracy is best, the highest of equals."""
    import numpy as np

    values = np.unique(probabilities)
    candidates = (values[1:] + values[:-1]) / 2 if len(values) > 1 else values
    kept = probabilities[None, :] >= candidates[:, None]
    balanced = kept[:, passes == 1].mean(axis=1) + (~kept[:, passes == 0]).mean(axis=1)
    best = np.flatnonzero(balanced >= balanced.max() - 1e-12)[-1]
    return float(candidates[best])
