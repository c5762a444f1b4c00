"""Human scores of judges' evaluations, and preferences between two of them."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from medassay.metrics import OVERALL
from medassay.models.people.sheets import OF_EVALUATIONS
from medassay.models.statistics.bootstrap import Estimate
from medassay.sql.warehouse import Row, Warehouse, statement
from medassay.tasks.people.among_people import alpha_among
from medassay.tasks.people.human_scores import HUMANS, agreement_row, measured


def of_evaluations(warehouse: Warehouse, run_id: str) -> Iterator[Row]:
    """Yield the rows of the agreement mart on evaluations: of the run's judges, and of pairs that it is one of."""
    yield from of_scores(warehouse, run_id)
    yield from of_preferences(warehouse, run_id)


def of_scores(warehouse: Warehouse, run_id: str) -> Iterator[Row]:
    """Yield each judge's mean human score, aspect by aspect and over the aspects, and how far annotators agree."""
    rows = warehouse.rows(statement("statements/people/evaluations/of_scores"), {"run_id": run_id})
    for judge in dict.fromkeys(row["judge"] for row in rows):
        own = [row for row in rows if row["judge"] == judge]
        aspects = [name for name in dict.fromkeys(row["metric"] for row in own) if name in OF_EVALUATIONS]
        for aspect in aspects:
            yield from of_aspect(judge, aspect, [row for row in own if row["metric"] == aspect])
        if len(aspects) > 1:
            # The mean over aspects, then annotators; an annotator with one aspect is no mean over all.
            cases: dict[tuple[str, str, str, str], list[float]] = {}
            for row in own:
                if row["metric"] in aspects:
                    case = (row["question_id"], row["system"], row["annotator"], row["role"])
                    cases.setdefault(case, []).append(row["score"])
            whole = [
                {"question_id": q, "system": s, "annotator": a, "role": role, "score": float(np.mean(scores))}
                for (q, s, a, role), scores in cases.items()
                if len(scores) == len(aspects)
            ]
            yield from of_aspect(judge, OVERALL, whole)


def of_aspect(judge: str, aspect: str, rows: list[Row]) -> Iterator[Row]:
    """Yield the mean over annotators, then answers, then questions, and Krippendorff's α between annotators."""
    from medassay.models.statistics.bootstrap import mean_interval

    rows = measured(rows)
    if not rows:
        return
    places = {
        place: n for n, place in enumerate(dict.fromkeys((r["question_id"], r["system"]) for r in rows))
    }
    names = {name: n for n, name in enumerate(sorted({row["annotator"] for row in rows}))}
    ratings = np.full((len(names), len(places)), np.nan)
    for row in rows:
        ratings[names[row["annotator"]], places[row["question_id"], row["system"]]] = row["score"]
    by_question: dict[str, list[float]] = {}
    for (question_id, _), mean in zip(places, np.nanmean(ratings, axis=0), strict=True):
        by_question.setdefault(question_id, []).append(float(mean))
    found = mean_interval([float(np.mean(means)) for means in by_question.values()])
    yield mart_row(
        aspect, judge, "mean", Estimate(found.value, found.low, found.high, len(places), found.reason)
    )
    if len(names) > 1:
        yield mart_row(aspect, HUMANS, "Krippendorff's α", alpha_among(ratings), judge)


def of_preferences(warehouse: Warehouse, run_id: str) -> Iterator[Row]:
    """Yield how often one judge's evaluation is preferred: the mean over annotators, then answers, then questions."""
    from medassay.models.statistics.bootstrap import mean_interval

    rows = warehouse.rows(statement("statements/people/evaluations/of_preferences"), {"run_id": run_id})
    for row in rows:
        found = mean_interval(row["questions"])
        said = "a tie counts half"
        if found.reason:
            said += f"; {found.reason}"
        if row["spread"] is not None:
            said += f"; spread between annotators {row['spread']:.2f}"
        said += f"; the left side was preferred to {row['for_left']:.2f}"
        low, high = (None if end is None else min(max(end, 0.0), 1.0) for end in (found.low, found.high))
        share = Estimate(found.value, low, high, row["n_cases"], said)
        yield mart_row(
            row["field"], f"{row['judge_a']} over {row['judge_b']}", "preferred", share, baseline=0.5
        )


def mart_row(human: str, metric: str, measure: str, found: Estimate, judge: str = "", **more: Any) -> Row:
    """Build a row of the agreement mart."""
    reasons = [f"of {judge}'s evaluations" if judge else None, found.reason]
    said = "; ".join(reason for reason in reasons if reason) or None
    return agreement_row(human, metric, "evaluation", measure, found, stands_in=True, reason=said, **more)
