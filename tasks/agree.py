"""Automatic scores of a run × human scores of its data set → how far they agree, beside what people reach."""

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.statistics.coefficients import Method
from models.statistics.estimate import Estimate
from sql.warehouse import Row, Warehouse, statement
from tasks.compare import Grid, grid_of, matrix
from tasks.evaluations import of_evaluations
from tasks.human_scores import OVERALL, Human, human_scores, nugget_labels

Floats = NDArray[np.float64]
METHODS: tuple[Method, ...] = ("kendall", "spearman", "pearson")
AUTOMATIC = (
    "nugget_coverage", "factual_correctness", "completeness", "correctness", "precision", "recall",
    "nugget_recall_1to1", "f1", "citation_precision", "citation_recall", "rubric_score", "medical_correctness",
    "evidence_sufficiency", "response_alignment", "safety",
)  # fmt: skip
# Which of our metrics stand for a human one, by what they mean. MedAESQA's were settled after a look at its
# development part, so that what is measured there is no confirmation.
STANDS_IN = {
    # A verdict on the whole answer: does it say what the expert says, and is what it says of it right?
    "answer_accurate": ("nugget_coverage", "factual_correctness", "medical_correctness"),
    "knowledge_correctness": ("factual_correctness", "medical_correctness"),
    # Of what it says, how much was required? Our precision is the same share over claims.
    "required_sentences": ("precision",),
    # Of what can be said, how much does it say? A sentence falls into one cluster, as a claim takes one nugget.
    "clusters_required": ("nugget_recall_1to1", "nugget_coverage"),
    "clusters_supported_required": ("nugget_recall_1to1", "nugget_coverage"),
    "relevancy": ("response_alignment",),
    "reference_correctness": ("citation_precision",),
    OVERALL: ("nugget_coverage", "rubric_score"),
    **{name: (name,) for name in AUTOMATIC},
}
HUMANS = "humans"


def freeze_agreement(warehouse: Warehouse, run_id: str) -> int:
    """Append the agreement of a run whose data set has human scores; return how many rows."""
    grid = grid_of(warehouse, run_id)
    humans = human_scores(warehouse, run_id, grid)
    rows = [*of_nuggets(warehouse, run_id), *of_evaluations(warehouse, run_id)]
    points: list[Row] = []
    if humans:
        warehouse.execute(
            statement("human_preferences"),
            {"run_id": run_id, "metrics": sorted({h.metric for h in humans} & STANDS_IN.keys())},
        )
        profile = warehouse.value("select profile from run where run_id = ?", [run_id])
        boards = dict(automatic_scores(warehouse, run_id, grid, profile))
        for human in humans:
            rows += of_annotators(grid, human)
            ceilings = {method: ceiling(method, human) for method in METHODS}
            for metric, scores in boards.items():
                rows += of_metric(grid, human, metric, scores, ceilings)
                points += of_systems(grid, human, metric, scores)
    warehouse.append("mart.agreement_point", [{"run_id": run_id, **point} for point in points])
    return warehouse.append("mart.agreement", [{"run_id": run_id, **row} for row in rows])


def automatic_scores(
    warehouse: Warehouse, run_id: str, grid: Grid, profile: str
) -> Iterator[tuple[str, Floats]]:
    """Yield the metrics that were scored at all, under the run's profile."""
    for metric in AUTOMATIC:
        for name in ("any", profile):
            scores = matrix(warehouse, run_id, grid, name, metric)
            if np.isfinite(scores).any():
                yield metric, scores


def row(
    human: str, metric: str, level: str, measure: str, found: Estimate, **more: float | int | None
) -> dict[str, Any]:
    """Build a row of the mart."""
    return {
        "human_metric": human,
        "metric": metric,
        "level": level,
        "measure": measure,
        "stands_in": metric == HUMANS or metric in STANDS_IN.get(human, ()),
        "value": found.value,
        "low": found.low,
        "high": found.high,
        "n": found.n,
        "reason": found.reason,
        **more,
    }


def of_metric(
    grid: Grid, human: Human, metric: str, scores: Floats, ceilings: dict[Method, float | None]
) -> list[Row]:
    """Measure one metric against one human one; what stands for nothing gets the short form."""
    from models.statistics.correlation import pooled, within_questions
    from models.statistics.system_level import system_level

    full = metric in STANDS_IN.get(human.metric, ())
    people = human.test
    both = np.isfinite(people) & np.isfinite(scores)
    places = np.argwhere(both)
    names = list(grid.questions)
    questions = [names[place] for place in places[:, 0]]
    ours, theirs = scores[both], people[both]
    n_systems = int(both.any(axis=0).sum())
    between = between_annotators(human) if full else None
    rows = []
    for method in METHODS if full else ("kendall",):
        found = pooled(method, questions, ours, theirs)
        rows.append(row(human.metric, metric, "answer", method, found, ceiling=between, n_systems=n_systems))
        inside = within_questions(method, questions, ours, theirs)
        rows.append(
            row(human.metric, metric, "answer", f"{method} within questions", inside, n_systems=n_systems)
        )
        whole = system_level(method, scores, people)
        total = row(human.metric, metric, "system", method, whole, ceiling=ceilings[method])
        # Here the unit is the system: n counts the answers behind it.
        rows.append({**total, "n": len(ours), "n_systems": whole.n})
    return rows + (of_orders(human, metric, scores) if full else [])


def of_systems(grid: Grid, human: Human, metric: str, scores: Floats) -> Iterator[Row]:
    """Yield each system's two means over the answers that people and the metric both scored, where it stands in."""
    both = np.isfinite(human.test) & np.isfinite(scores)
    for system, place in grid.systems.items() if metric in STANDS_IN.get(human.metric, ()) else ():
        scored = both[:, place]
        if scored.any():
            yield {
                "human_metric": human.metric,
                "metric": metric,
                "system": system,
                "n_questions": int(scored.sum()),
                "human_mean": float(human.test[scored, place].mean()),
                "automatic_mean": float(scores[scored, place].mean()),
            }


def of_orders(human: Human, metric: str, scores: Floats) -> list[Row]:
    """Measure whether pairs and triples of answers come out in the humans' order.

    The tie cut-off comes from the `tune` rows. Where there are no others, each question's comes from the others.
    """
    from models.statistics.pairs import accuracy_2tuple, accuracy_triple, cut_offs_left_out, tie_cut_off

    people = human.test
    cut: float | Floats
    if human.tuned_only:
        cut, chosen = cut_offs_left_out(scores, people), "tie cut-offs chosen on the other questions"
    else:
        tuning = np.where(human.tune, human.mean, np.nan)
        cut = tie_cut_off(scores, tuning)
        chosen = f"tie cut-off {cut:.3f} chosen on the tune rows"
    rows = []
    for level, measure in (("pair", accuracy_2tuple), ("triple", accuracy_triple)):
        found = measure(scores, people, cut)
        result = row(human.metric, metric, level, "accuracy", found.accuracy, baseline=found.baseline)
        reasons = [result["reason"], chosen if found.accuracy.n else None]
        rows.append({**result, "reason": "; ".join(reason for reason in reasons if reason)})
    return rows


def ceiling(method: Method, human: Human) -> float | None:
    """Return how well half of the questions' human scores order the systems as the other half does."""
    from models.statistics.system_level import split_half

    return split_half(method, human.test).value


def between_annotators(human: Human) -> float | None:
    """Return the mean Kendall τ-b of every two annotators over the answers both scored, None for fewer than two."""
    from scipy import stats

    found = []
    for one, two in combinations(human.by_annotator, 2):
        both = np.isfinite(one) & np.isfinite(two)
        if both.sum() > 1 and np.ptp(one[both]) > 0 and np.ptp(two[both]) > 0:
            found.append(float(stats.kendalltau(one[both], two[both]).statistic))
    return float(np.mean(found)) if found else None


def of_annotators(grid: Grid, human: Human) -> list[Row]:
    """Measure how far people agree among themselves, where several scored."""
    from models.statistics.alpha import krippendorff_alpha
    from models.statistics.icc import icc2

    if len(human.by_annotator) < 2:
        return []
    ratings = human.by_annotator.reshape(len(human.by_annotator), -1)
    found = icc2(ratings.T)
    return [
        row(human.metric, HUMANS, "answer", "ICC(2,1)", found.single),
        row(human.metric, HUMANS, "answer", "ICC(2,k)", found.average),
        row(human.metric, HUMANS, "answer", "Krippendorff's α", krippendorff_alpha(ratings, "interval")),
    ]


def of_nuggets(warehouse: Warehouse, run_id: str) -> Iterator[Row]:
    """Measure our states of nuggets against people's labels: covered is entailed, partial and missing are neutral."""
    from models.statistics.alpha import krippendorff_alpha
    from models.statistics.kappa import cohen_kappa, mean_pairwise_kappa

    labels = nugget_labels(warehouse, run_id)
    if not labels.ours:
        return
    name = "nugget_label"
    among = mean_pairwise_kappa(labels.physicians)
    found = cohen_kappa(labels.ours, labels.majority, labels.questions)
    yield {**row(name, "nugget_state", "nugget", "Cohen's κ", found, ceiling=among), "stands_in": True}
    same = [float(a == b) for a, b in zip(labels.ours, labels.majority, strict=True)]
    common = max(labels.majority.count(label) for label in set(labels.majority)) / len(same)
    share = Estimate(
        float(np.mean(same)), None, None, len(same), "the baseline is always the commonest label"
    )
    yield {**row(name, "nugget_state", "nugget", "accuracy", share, baseline=common), "stands_in": True}
    if len(labels.physicians) > 1:
        values = {label: n for n, label in enumerate(sorted({v for one in labels.physicians for v in one}))}
        ratings = [[values[label] for label in one] for one in labels.physicians]
        yield row(name, HUMANS, "nugget", "Krippendorff's α", krippendorff_alpha(ratings, "nominal"))
