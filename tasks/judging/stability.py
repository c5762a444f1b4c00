"""How far a run's judges hold: spread of repeats, size of the panel, rankings of the listwise judge."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from medassay.models.counting import counted
from medassay.models.judges.listwise.aggregates import (
    balanced,
    disagreement,
    duels,
    mean_points,
    place_effect,
)
from medassay.models.judges.listwise.judge import Ranking
from medassay.models.statistics.resampling import Floats
from medassay.sql.warehouse import Row
from medassay.tasks.run import RunRef

LEAST_ANSWERS = 3

UNBALANCED = "no question has all of its orders scored, and only those are balanced over places"


@dataclass(frozen=True, slots=True)
class Repeats:
    """Averages and standard deviations by answer, NaN-free by way of `scored`; `typical` sums them up.

    `typical` is the pooled standard deviation of a single run about the answer's mean, `of_means` that of the runs'
    overall means; each is None where `reason` says why.
    """

    averages: Floats
    scored: Floats
    typical: float | None
    of_means: float | None
    reason: str | None = None


def average_runs(scores: ArrayLike) -> Repeats:
    """Average the runs of each answer and measure their spread (one-way random effects: Searle 1971, §9).

    Args:
        scores: (runs, answers), NaN where a run gave no score.
    """
    table = np.asarray(scores, dtype=np.float64)
    present = np.isfinite(table)
    scored = present.sum(axis=0).astype(np.float64)
    filled = np.where(present, table, 0.0)
    averages = np.divide(filled.sum(axis=0), scored, out=np.zeros(table.shape[1]), where=scored > 0)
    freedom = float((scored[scored > 0] - 1).sum())
    if freedom < 1:
        return Repeats(averages, scored, None, None, "no answer was scored by two runs")
    apart = np.where(present, table - averages, 0.0)
    # Equal runs lie 0 apart, and not by what their average was rounded.
    apart[np.isclose(apart, 0.0, atol=1e-12)] = 0.0
    typical = float(np.sqrt((apart**2).sum() / freedom))
    whole = table[:, present.all(axis=0)]
    if whole.shape[1] == 0:
        return Repeats(averages, scored, typical, None, "no answer was scored by every run")
    of_means = float(whole.mean(axis=1).std(ddof=1))
    return Repeats(averages, scored, typical, 0.0 if np.isclose(of_means, 0.0, atol=1e-12) else of_means)


def freeze_stability(run: RunRef) -> None:
    """Append one row a judge, none where nothing was judged."""
    rows = run.warehouse.rows(
        "select question_id, system, judge, sample_no, rubric_score from mart.judgement where run_id = ?"
        " order by question_id, system, judge, sample_no",
        [run.run_id],
    )
    run.warehouse.append("mart.judge_stability", [{"run_id": run.run_id, **row} for row in stability(rows)])


def stability(rows: list[Row]) -> list[dict[str, Any]]:
    """Measure each judge; `rows` hold one rubric score a question, system, judge and sample, None where unscored."""
    judges = sorted({row["judge"] for row in rows})
    answers = {key: n for n, key in enumerate(sorted({(row["question_id"], row["system"]) for row in rows}))}
    n_samples = 1 + max((row["sample_no"] for row in rows), default=0)
    marks = np.full((len(judges), n_samples, len(answers)), np.nan)
    for row in rows:
        place = answers[row["question_id"], row["system"]]
        marks[judges.index(row["judge"]), row["sample_no"], place] = _number(row["rubric_score"])
    repeats = [average_runs(marks[place]) for place in range(len(judges))]
    means = np.stack([np.where(r.scored > 0, r.averages, np.nan) for r in repeats]) if judges else marks[:, 0]
    by_all = np.isfinite(means).all(axis=0)
    systems = np.array([system for _, system in answers])
    panel = PanelOf(means[:, by_all], systems[by_all], judges)
    return [
        {
            "judge": judge,
            "n_judges": len(judges),
            "n_samples": n_samples,
            "n_answers": len(answers),
            "n_scored": int(np.isfinite(means[place]).sum()),
            "n_scored_by_all": int(by_all.sum()),
            "mean_score": _known(np.nanmean(means[place])) if np.isfinite(means[place]).any() else None,
            "repeat_spread": repeats[place].typical,
            "repeat_spread_of_means": repeats[place].of_means,
            "correlation_with_others": panel.correlation_with_others(place),
            "effective_judges": panel.effective_judges(),
            **panel.without(place),
            "aggregation": aggregation(len(judges), n_samples, repeats[place].scored),
            "reason": panel.reason(place),
        }
        for place, judge in enumerate(judges)
    ]


def aggregation(n_judges: int, n_samples: int, scored: Floats) -> str:
    """Describe how marks become one; `scored` holds how many samples of each answer one of the judges marked."""
    told = "one judge" if n_judges == 1 else "mean of the judges, all of whom must have marked the answer"
    if n_samples == 1:
        return told
    fewer = int(((scored > 0) & (scored < n_samples)).sum())
    told += f"; each the mean of {n_samples} samples"
    return told + (f", {fewer} of its answers of fewer" if fewer else "")


class PanelOf:
    """A panel's marks, (judges, answers), every one of them there."""

    def __init__(self, marks: Floats, systems: NDArray[np.str_], judges: list[str]) -> None:
        self.marks, self.systems, self.judges = marks, systems, judges
        self.names = sorted(set(systems.tolist()))

    def reason(self, place: int) -> str | None:
        """Return why something of a judge's part in the panel is not known, None where all is, or there is no panel."""
        if len(self.marks) < 2:
            return None
        if self.is_too_small:
            n = self.marks.shape[1]
            return f"{counted(n, 'answer')} {'was' if n == 1 else 'were'} marked by every judge, too few"
        same = [judge for judge, given in zip(self.judges, self.marks, strict=True) if np.ptp(given) <= 1e-12]
        found = (
            [f"no correlation with {', '.join(same)}: every answer has the same score there"] if same else []
        )
        if self.without(place)["rank_correlation_without"] is None:
            few = "there is one system" if len(self.names) == 1 else "all systems have the same mean"
            found.append(f"no ranking to hold against another: {few}")
        return "; ".join(found) or None

    @property
    def is_too_small(self) -> bool:
        """Return whether there is nothing to hold against each other."""
        return len(self.marks) < 2 or self.marks.shape[1] < LEAST_ANSWERS

    def correlation_with_others(self, place: int) -> float | None:
        """Correlate a judge with the mean of the others."""
        if self.is_too_small:
            return None
        return _correlation(self.marks[place], np.delete(self.marks, place, axis=0).mean(axis=0))

    def effective_judges(self) -> float | None:
        """Return n / (1 + (n − 1) r̄), the design effect of correlated raters (Kish 1965, Survey Sampling, §5.4).

        A negative r̄ counts as none: judges that contradict each other are not worth more than their number.
        """
        if self.is_too_small:
            return None
        n = len(self.marks)
        pairs = [_correlation(self.marks[a], self.marks[b]) for a in range(n) for b in range(a)]
        known = [pair for pair in pairs if pair is not None]
        if len(known) < len(pairs):
            return None
        return float(n / (1 + (n - 1) * max(0.0, float(np.mean(known)))))

    def without(self, place: int) -> dict[str, float | None]:
        """Hold the systems' means by the whole panel against those without one judge."""
        if self.is_too_small:
            return {"rank_correlation_without": None, "largest_shift_without": None}
        whole = self.by_system(self.marks)
        left = self.by_system(np.delete(self.marks, place, axis=0))
        return {
            "rank_correlation_without": _tau(whole, left),
            "largest_shift_without": float(np.abs(whole - left).max()),
        }

    def by_system(self, marks: Floats) -> Floats:
        """Return each system's mean."""
        means = marks.mean(axis=0)
        return np.array([means[self.systems == name].mean() for name in self.names])


def _number(value: float | None) -> float:
    return np.nan if value is None else value


def _known(value: Any) -> float | None:
    return float(value) if np.isfinite(value) else None


def _correlation(a: Floats, b: Floats) -> float | None:
    x, y = a - a.mean(), b - b.mean()
    spread = float(np.sqrt((x**2).sum() * (y**2).sum()))
    return float((x * y).sum()) / spread if spread > 1e-12 else None


def _tau(a: Floats, b: Floats) -> float | None:
    from scipy.stats import kendalltau

    if len(a) < 2 or np.ptp(a) <= 1e-12 or np.ptp(b) <= 1e-12:
        return None
    return _known(kendalltau(a, b).statistic)


def freeze_comparison(run: RunRef) -> None:
    """Append who beats whom on which question, and how much the place and the order mattered."""
    warehouse = run.warehouse
    rows = warehouse.rows(
        "select question_id, judge, order_no, list(system order by place) as systems,"
        " list(points order by place) as points from mart.ranking where run_id = ? group by all"
        " order by question_id, order_no",
        [run.run_id],
    )
    if not rows:
        return
    rankings = [ranking_of(row) for row in rows]
    who = rows[0]["judge"]
    # `duels` lists a pair by the order of names, so that a pair has one row.
    warehouse.append(
        "mart.preference",
        [
            {
                "run_id": run.run_id,
                "question_id": duel.question_id,
                "system_a": duel.system,
                "system_b": duel.other,
                "preferred_by": "listwise",
                "who": who,
                "outcome": duel.outcome,
                "difference": duel.difference,
            }
            for duel in duels(mean_points(balanced(rankings)))
        ],
    )
    for size in sorted({len(ranking.systems) for ranking in rankings}):
        of_size = [ranking for ranking in rankings if len(ranking.systems) == size]
        effect, differing = place_effect(of_size, size), disagreement(of_size)
        residuals = effect.mean_residual_by_place if effect else (None,) * size
        warehouse.append(
            "mart.ranking_place",
            [
                {
                    "run_id": run.run_id,
                    "judge": who,
                    "n_answers": size,
                    "place": place,
                    "mean_residual": residual,
                    "n_rankings": effect.n_rankings if effect else 0,
                    "p_value": effect.p_value if effect else None,
                    "order_disagreement": differing,
                    "reason": None if effect else UNBALANCED,
                }
                for place, residual in enumerate(residuals, start=1)
            ],
        )


def ranking_of(row: Row) -> Ranking:
    """Rebuild a ranking from its frozen rows; one without points was not scored."""
    points = tuple(row["points"])
    known = None if any(given is None for given in points) else points
    return Ranking(
        row["question_id"], row["order_no"], tuple(row["systems"]), known, None, None, "scored", None, None
    )
