"""Agreement of a run's automatic scores with human scores, beside agreement between people."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from medassay.metrics import OVERALL, PROFILES, Profile
from medassay.models.statistics.correlation import Method
from medassay.models.statistics.system_level import SplitHalf
from medassay.sql.warehouse import Row, Warehouse, statement
from medassay.tasks.comparing.grid import Grid, grid_of, matrix
from medassay.tasks.people.among_people import between_annotators, ceiling, disagreement_strata, of_annotators
from medassay.tasks.people.answer_labels import of_answer_labels
from medassay.tasks.people.evaluations import of_evaluations
from medassay.tasks.people.human_scores import (
    ASPECTS,
    AUTOMATIC,
    Human,
    agreement_row,
    human_metrics,
    human_scores,
    mean_of,
    measured,
    stands_in,
)
from medassay.tasks.people.nugget_labels import Labelled, gathered, of_labels, of_nuggets

Floats = NDArray[np.float64]
CRITERIA = Labelled("criterion_label", "criterion_met", "criterion")
METHODS: tuple[Method, ...] = ("kendall", "spearman", "pearson")


@dataclass(frozen=True, slots=True)
class ByLength:
    """A coefficient of lengths with people's scores: over answers, over systems, and from half to half."""

    answers: float | None
    systems: float | None
    halves: float | None


NO_LENGTH = ByLength(None, None, None)


def answer_lengths(warehouse: Warehouse, run_id: str, grid: Grid) -> Floats:
    """Return the characters of each answer, (questions, systems), 0 for silence."""
    lengths = np.zeros((len(grid.questions), len(grid.systems)))
    for row in warehouse.rows(
        "select question_id, system, n_characters from mart.answer where run_id = ?", [run_id]
    ):
        lengths[grid.questions[row["question_id"]], grid.systems[row["system"]]] = row["n_characters"]
    return lengths


def by_length(method: Method, human: Human, scores: Floats, lengths: Floats) -> ByLength:
    """Correlate lengths with people's scores over the answers that a metric scored too."""
    from medassay.models.statistics.correlation import coefficient
    from medassay.models.statistics.system_level import split_half

    both = np.isfinite(human.test) & np.isfinite(scores)
    alone, people = np.where(both, lengths, np.nan), np.where(both, human.test, np.nan)
    of_systems, theirs = (mean_of(part) for part in (alone, people))
    scored = np.isfinite(theirs)
    return ByLength(
        coefficient(method, alone[both], people[both]),
        coefficient(method, of_systems[scored], theirs[scored]),
        split_half(method, people, alone).value,
    )


def of_criteria(warehouse: Warehouse, run_id: str) -> Iterator[Row]:
    """Measure the verdicts of a run against people's marks of the same criteria of the same answers."""
    rows = measured(
        warehouse.rows(statement("statements/people/criterion_marks/of_criteria"), {"run_id": run_id})
    )
    return of_labels(gathered(rows, CRITERIA))


def freeze_agreement(warehouse: Warehouse, run_id: str) -> int:
    """Append the agreement of a run whose data set has human scores; return how many rows.

    Every profile that has scores is held against people; the points that are drawn are the run's profile's.
    """
    grid = grid_of(warehouse, run_id)
    humans = human_scores(warehouse, run_id, grid)
    rows = [
        *of_nuggets(warehouse, run_id),
        *of_criteria(warehouse, run_id),
        *of_evaluations(warehouse, run_id),
        *of_answer_labels(warehouse, run_id),
    ]
    points: list[Row] = []
    if humans:
        warehouse.execute(
            statement("human_preferences"),
            {
                "run_id": run_id,
                "metrics": sorted({h.metric for h in humans} & human_metrics()),
                "aspects": list(ASPECTS),
                "overall": OVERALL,
            },
        )
        chosen = warehouse.value("select profile from run where run_id = ?", [run_id])
        boards = list(automatic_scores(warehouse, run_id, grid))
        lengths = answer_lengths(warehouse, run_id, grid)
        for human in humans:
            rows += of_annotators(human)
            ceilings = {method: ceiling(method, human) for method in METHODS}
            for profile, metric, scores in boards:
                rows += of_metric(grid, human, profile, metric, scores, ceilings, lengths)
                if profile in ("any", chosen):
                    points += of_systems(grid, human, profile, metric, scores)
    warehouse.append("mart.agreement_point", [{"run_id": run_id, **point} for point in points])
    return warehouse.append("mart.agreement", [{"run_id": run_id, **row} for row in rows])


def automatic_scores(warehouse: Warehouse, run_id: str, grid: Grid) -> Iterator[tuple[Profile, str, Floats]]:
    """Yield the metrics that were scored at all, with their profile."""
    for metric in AUTOMATIC:
        for profile in PROFILES:
            scores = matrix(warehouse, run_id, grid, profile, metric)
            if np.isfinite(scores).any():
                yield profile, metric, scores


def of_metric(
    grid: Grid,
    human: Human,
    profile: Profile,
    metric: str,
    scores: Floats,
    ceilings: dict[Method, SplitHalf],
    lengths: Floats,
) -> list[Row]:
    """Measure one metric against one human one, beside what the answers' length alone reaches.

    What stands for nothing gets the short form.
    """
    from medassay.models.statistics.bootstrap import Estimate
    from medassay.models.statistics.correlation import pooled, within_questions
    from medassay.models.statistics.system_level import split_half, system_level

    full = stands_in(human.metric, profile, metric)
    people = human.test
    both = np.isfinite(people) & np.isfinite(scores)
    places = np.argwhere(both)
    names = list(grid.questions)
    questions, cases = [names[place] for place in places[:, 0]], grid.units[places[:, 0]].tolist()
    ours, theirs = scores[both], people[both]
    n_systems = int(both.any(axis=0).sum())
    rows = []

    def add(level: str, measure: str, found: Estimate, **more: float | int | str | None) -> None:
        rows.append(agreement_row(human.metric, metric, level, measure, found, profile=profile, **more))

    for method in METHODS if full else ("kendall",):
        found = pooled(method, cases, ours, theirs)
        between = between_annotators(method, human) if full else None
        alone = by_length(method, human, scores, lengths) if full else NO_LENGTH
        add("answer", method, found, ceiling=between, baseline=alone.answers, n_systems=n_systems)
        inside = within_questions(method, questions, ours, theirs)
        add("answer", f"{method} within questions", inside, n_systems=n_systems)
        whole = system_level(method, scores, people)
        top = ceilings[method]
        ends = {"ceiling": top.value, "ceiling_low": top.low, "ceiling_high": top.high}
        # Here the unit is the system: n counts the answers behind it.
        add(
            "system",
            method,
            whole,
            **{**ends, "baseline": alone.systems, "n": len(ours), "n_systems": whole.n},
        )
        if full:
            # As the ceiling is made: one half of the questions has to order the systems as the other half does.
            other = split_half(method, people, scores)
            spread = "the interval is of 1,000 halvings of the questions"
            half = Estimate(other.value, other.low, other.high, other.n, other.reason or spread)
            add(
                "system",
                f"{method} on other questions",
                half,
                **{**ends, "baseline": alone.halves, "n": len(ours), "n_systems": other.n},
            )
    if full:
        rows += of_orders(human, profile, metric, scores)
        for stratum, inside_it in disagreement_strata(human):
            some = both & inside_it
            chosen = grid.units[np.argwhere(some)[:, 0]].tolist()
            for method in METHODS:
                found = pooled(method, chosen, scores[some], people[some])
                add("answer", method, found, stratum=stratum)
    return rows


def of_systems(grid: Grid, human: Human, profile: Profile, metric: str, scores: Floats) -> Iterator[Row]:
    """Yield each system's two means over the answers that people and the metric both scored, where it stands in."""
    both = np.isfinite(human.test) & np.isfinite(scores)
    for system, place in grid.systems.items() if stands_in(human.metric, profile, metric) else ():
        scored = both[:, place]
        if scored.any():
            yield {
                "human_metric": human.metric,
                "profile": profile,
                "metric": metric,
                "system": system,
                "n_questions": int(scored.sum()),
                "human_mean": float(human.test[scored, place].mean()),
                "automatic_mean": float(scores[scored, place].mean()),
            }


def of_orders(human: Human, profile: Profile, metric: str, scores: Floats) -> list[Row]:
    """Measure whether pairs and triples of answers come out in the humans' order.

    The tie cut-off comes from the `tune` rows. Where all rows are for one use, each question's comes from the others.
    """
    from medassay.models.statistics.pairs import (
        accuracy_2tuple,
        accuracy_triple,
        cut_offs_left_out,
        tie_cut_off,
    )

    people = human.test
    cut: float | Floats
    tuning = np.where(human.tune, human.mean, np.nan)
    if human.tuned_only or not np.isfinite(tuning).any():
        cut, chosen = cut_offs_left_out(scores, people), "tie cut-offs chosen on the other questions"
    else:
        cut = tie_cut_off(scores, tuning)
        chosen = f"tie cut-off {cut:.3f} chosen on the tune rows"
    rows = []
    for level, name, measure in (
        ("pair", "accuracy_2tuple", accuracy_2tuple),
        ("triple", "accuracy_triple", accuracy_triple),
    ):
        found = measure(scores, people, cut)
        result = agreement_row(
            human.metric, metric, level, name, found.accuracy, profile=profile, baseline=found.baseline
        )
        reasons = [result["reason"], chosen if found.accuracy.n else None]
        rows.append({**result, "reason": "; ".join(reason for reason in reasons if reason)})
    return rows
