"""Human scores of a data set as matrices (questions × systems), and the metrics that stand for them."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from medassay.metrics import BY_NAME, METRICS, OVERALL, Profile
from medassay.models.statistics.bootstrap import Estimate
from medassay.sql.warehouse import Row, Warehouse, statement
from medassay.tasks.comparing.grid import Grid

HUMANS = "humans"
AUTOMATIC = tuple(metric.name for metric in METRICS if metric.human is not None)

ASPECTS = ("relevancy", "fluency", "knowledge_correctness")
DECIMALS = 9
"""To how many human scores are compared: a mean over aspects is many floats, which have to tie as in `preferences`."""
Floats = NDArray[np.float64]


def human_metrics() -> set[str]:
    """Return the human columns that some metric of ours stands for, under whichever profile."""
    under = {human for metric in METRICS for humans in metric.human_under.values() for human in humans}
    return under | {human for name in AUTOMATIC for human in (name, *(BY_NAME[name].human or ()))}


def stands_in(human: str, profile: Profile, metric: str) -> bool:
    """Return whether a metric under a profile means what people scored."""
    known = BY_NAME.get(metric)
    if known is None or known.human is None:
        return False
    return human in (metric, *known.human, *known.human_under.get(profile, ()))


def agreement_row(
    human: str,
    metric: str,
    level: str,
    measure: str,
    found: Estimate,
    *,
    profile: Profile = "any",
    **more: Any,
) -> Row:
    """Build a row of the mart; `more` overrides."""
    return {
        "human_metric": human,
        "profile": profile,
        "metric": metric,
        "level": level,
        "measure": measure,
        "stratum": "all",
        "stands_in": metric == HUMANS or stands_in(human, profile, metric),
        "value": found.value,
        "low": found.low,
        "high": found.high,
        "n": found.n,
        "reason": found.reason,
        **more,
    }


@dataclass(frozen=True)
class Human:
    """One human metric: (annotators, questions, systems), NaN where nobody scored; `annotators` are its first axis."""

    metric: str
    by_annotator: Floats
    tune: NDArray[np.bool_]
    annotators: tuple[str, ...] = ()

    @property
    def mean(self) -> Floats:
        """Return the mean over annotators, (questions, systems)."""
        return mean_of(self.by_annotator)

    @property
    def measured(self) -> Floats:
        """Return the scores where agreement is measured: the `test` rows, or all where every row is for tuning."""
        return self.by_annotator if self.tuned_only else np.where(self.tune, np.nan, self.by_annotator)

    @property
    def test(self) -> Floats:
        """Return the mean over annotators of what agreement is measured on."""
        return mean_of(self.measured)

    @property
    def tuned_only(self) -> bool:
        """Return whether no row is kept for testing."""
        return bool((self.tune | ~np.isfinite(self.by_annotator)).all())


def measured(rows: list[Row]) -> list[Row]:
    """Return the rows that agreement is measured on, as `Human.measured` does."""
    return [row for row in rows if row["role"] != "tune"] or rows


def mean_of(stacked: Floats) -> Floats:
    """Average over the first axis, NaN where nothing is; rounded, so that equal means tie whatever was added first."""
    counts = np.isfinite(stacked).sum(axis=0)
    sums = np.nansum(stacked, axis=0)
    found: Floats = np.divide(sums, counts, out=np.full(counts.shape, np.nan), where=counts > 0)
    return found.round(DECIMALS)


def human_scores(warehouse: Warehouse, run_id: str, grid: Grid) -> list[Human]:
    """Return every human metric of the run's data set, and those that are made of them.

    `human_score` is the mean over the aspects relevancy, fluency and knowledge correctness, annotator by annotator.
    """
    rows = warehouse.rows(statement("statements/people/human_scores/human_scores"), [run_id, run_id])
    found = []
    shape = (len(grid.questions), len(grid.systems))
    for metric in sorted({row["metric"] for row in rows}):
        own = [row for row in rows if row["metric"] == metric]
        annotators = {name: n for n, name in enumerate(sorted({row["annotator"] for row in own}))}
        scores, tune = np.full((len(annotators), *shape), np.nan), np.zeros(shape, dtype=np.bool_)
        for row in own:
            place = grid.questions[row["question_id"]], grid.systems[row["system"]]
            scores[annotators[row["annotator"]], *place] = row["score"]
            tune[place] = row["role"] == "tune"
        found.append(Human(metric, scores, tune, tuple(annotators)))
    made = overall(found) + required_share(warehouse, run_id, grid, found)
    return [human for human in found if human.metric not in {one.metric for one in made}] + made


def overall(found: list[Human]) -> list[Human]:
    """Return the mean over aspects, where there are several: of each answer by those who scored every one of them."""
    aspects = [human for human in found if human.metric in ASPECTS]
    if len(aspects) < 2:
        return []
    names = sorted({name for human in aspects for name in human.annotators})
    stacked = np.full((len(aspects), len(names), *aspects[0].tune.shape), np.nan)
    for place, human in enumerate(aspects):
        stacked[place, [names.index(name) for name in human.annotators]] = human.by_annotator
    means = stacked.mean(axis=0)
    whole = np.isfinite(means).any(axis=(1, 2))
    if not whole.any():
        return []
    kept = tuple(name for name, scored in zip(names, whole, strict=True) if scored)
    tune = np.logical_or.reduce([human.tune for human in aspects])
    return [Human(OVERALL, means[whole], tune, kept)]


def required_share(warehouse: Warehouse, run_id: str, grid: Grid, found: list[Human]) -> list[Human]:
    """Return MedAESQA's precision, required sentences / sentences, where only their count was recorded for some.

    The sentences are counted by our own splitter; an answer never has more required sentences than sentences.
    """
    counts = next((human for human in found if human.metric == "n_required_sentences"), None)
    if counts is None:
        return []
    known = next((human for human in found if human.metric == "required_sentences"), None)
    from medassay.models.text.sentences.splitting import sentences

    total = np.full((len(grid.questions), len(grid.systems)), np.nan)
    for row in warehouse.rows(
        "select question_id, system, text.text from mart.answer join text using (text_key) where run_id = ?",
        [run_id],
    ):
        n = len(sentences(row["text"]))
        total[grid.questions[row["question_id"]], grid.systems[row["system"]]] = n or np.nan
    shares = mean_of(np.minimum(counts.by_annotator / total, 1.0))
    if known is not None:
        shares = np.where(np.isfinite(known.mean), known.mean, shares)
    return [Human("required_sentences", shares[None], counts.tune)]
