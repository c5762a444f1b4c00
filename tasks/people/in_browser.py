"""Annotation in the browser: what is scored and decided next, how well annotators agree, and taking scores in."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from medassay.models.people.aspects import BROWSER_ASPECTS, NUGGET_STATES, SCORES
from medassay.models.people.sheets import SheetUnreadable
from medassay.models.statistics.alpha import krippendorff_alpha
from medassay.models.statistics.bootstrap import Estimate
from medassay.models.statistics.kappa import mean_pairwise_kappa
from medassay.models.usage import UsageError
from medassay.sql.snapshot import of_this_version, published
from medassay.sql.warehouse import Row, statement, warehouse_at
from medassay.tasks.browsing.runs import shown_name
from medassay.tasks.browsing.side_by_side import Answers, Results, answers
from medassay.tasks.finished_runs import FinishedRun, finished_run
from medassay.tasks.people.annotating import Role, answer_item, choose_next, import_scores, in_blind_order
from medassay.tasks.people.clicks import Scores, journal, journals, runs_with_clicks
from medassay.tasks.people.disputed_nuggets import DISPUTED, NUGGET, of_answers, of_nuggets
from medassay.tasks.people.score_import import take_scores
from medassay.tasks.run import HomeBusy, home_lock

Order = Literal["blind", "telling"]
NAMES = tuple(aspect.name for aspect in BROWSER_ASPECTS)
METRIC = "nugget_coverage"
"""Where the most telling answers come first: the metric that people check."""


@dataclass(frozen=True, slots=True)
class Task:
    """What is annotated: a run's answers, in which order, and whether systems are named."""

    run: FinishedRun
    name: str
    order: Order = "blind"
    named: bool = False
    role: Role = "test"


@dataclass(frozen=True, slots=True)
class Work:
    """An annotator's way through a run: items in order with their places, and the scores so far."""

    items: dict[str, tuple[str, str]]
    scores: Scores

    def add(self, scores: Scores) -> None:
        """Take scores in the places of those before."""
        for item, aspects in scores.items():
            self.scores.setdefault(item, {}).update(aspects)

    @property
    def n_done(self) -> int:
        """How many answers are scored on every aspect."""
        return sum(set(NAMES) <= self.scores.get(item, {}).keys() for item in self.items)

    @property
    def next_open(self) -> str | None:
        """The first answer that is not scored on every aspect."""
        return next((i for i in self.items if not set(NAMES) <= self.scores.get(i, {}).keys()), None)

    def beside(self, item: str, step: int) -> str | None:
        """Return the item before or after another."""
        order = list(self.items)
        place = order.index(item) + step
        return order[place] if 0 <= place < len(order) else None


@dataclass(frozen=True, slots=True)
class Agreed:
    """How well annotators agree on an aspect: α at the ordinal level, mean κ of every two."""

    label: str
    alpha: Estimate
    kappa: float | None


def task_of(
    home: Path, run: str | None, order: Order = "blind", *, named: bool = False, role: Role = "test"
) -> Task:
    """Return the task of a finished run, the last one unless named.

    Raises:
        UsageError: where there is none of that name.
    """
    with of_this_version(home), published(home) as connection:
        results = Results(connection)
        found = finished_run(results, run)
        (row,) = results.rows("select run_id, name from run where run_id = ?", [found.run_id])
        return Task(found, shown_name(row), order, named, role)


def work_of(home: Path, task: Task, annotator: str) -> Work:
    """Return an annotator's items in order, and every score of theirs that holds: of sheets, of earlier clicks."""
    with of_this_version(home), published(home) as connection:
        results = Results(connection)
        rows = results.rows(statement("statements/people/annotating/export_answers"), [task.run.run_id])
        if task.order == "telling":
            chosen = choose_next(results, task.run, rows, METRIC, len(rows)).items
            left = [place for place in range(len(rows)) if place not in set(chosen)]
            rows = [rows[place] for place in (*chosen, *left)]
        items = [{"item": answer_item(task.run.dataset, r["question_id"], r["system"]), **r} for r in rows]
        if task.order == "blind":
            items = in_blind_order(items, task.run.run_id)
        places = {row["item"]: (row["question_id"], row["system"]) for row in items}
        before = scored(results, task, annotator, {place: item for item, place in places.items()})
    work = Work(places, before)
    work.add(journal(home, task.run.run_id, annotator).scores())
    return work


def scored(results: Results, task: Task, annotator: str, items: dict[tuple[str, str], str]) -> Scores:
    """Return the scores of an annotator that the published results hold."""
    found: Scores = {}
    for row in results.rows(
        "select question_id, system, metric, score from human_score where dataset = ? and annotator = ?"
        " and target = 'answer' and score is not null",
        [task.run.dataset, annotator],
    ):
        place = row["question_id"], row["system"]
        if place in items and row["metric"] in NAMES:
            found.setdefault(items[place], {})[row["metric"]] = row["score"]
    return found


def shown_answer(home: Path, task: Task, work: Work, item: str) -> Answers:
    """Return an item's answer with its claims and verdicts.

    Raises:
        UsageError: where the run has no such item.
    """
    if item not in work.items:
        raise UsageError(f"item {item} is not of run {task.run.run_id}")
    question_id, system = work.items[item]
    return answers(home, question_id, [(task.run.run_id, system)])


def disputed(home: Path, task: Task, work: Work, item: str) -> list[tuple[str, str]]:
    """Return the nuggets of an item's answer that might have got another state as well: aspect and words."""
    question_id, system = work.items[item]
    with of_this_version(home), published(home) as connection:
        rows = Results(connection).rows(
            "select nugget_id, nugget from nugget_states where run_id = ? and question_id = ? and system = ?"
            f" and {DISPUTED} order by importance = 'vital' desc, nugget_id",
            [task.run.run_id, question_id, system],
        )
    return [(f"{NUGGET}{row['nugget_id']}", row["nugget"]) for row in rows]


def click(home: Path, task: Task, work: Work, annotator: str, item: str, aspect: str, score: str) -> None:
    """Save one score at once.

    Raises:
        UsageError: for an item, an aspect or a score that there is not.
    """
    if item not in work.items:
        raise UsageError(f"item {item} is not of run {task.run.run_id}")
    if aspect.startswith(NUGGET):
        known, scores = (
            [name for name, _ in disputed(home, task, work, item)],
            range(1, len(NUGGET_STATES) + 1),
        )
    else:
        known, scores = list(NAMES), SCORES
    if aspect not in known or not score.isascii() or not score.isdigit() or int(score) not in scores:
        raise UsageError(f"{aspect} is {score!r}: there is no such score")
    journal(home, task.run.run_id, annotator).add(annotator, item, aspect, float(score))


def take_clicks(home: Path, role: Role = "test") -> list[str]:
    """Take every click that is not there yet into the warehouse; return what could not be taken, and why.

    Raises:
        HomeBusy: where a run holds the home; the clicks stay where they are.
    """
    problems = []
    with home_lock(home, "(annotate)", wait=False):
        warehouse = warehouse_at(home)
        for run_id in runs_with_clicks(home):
            for annotator, clicks in journals(home, run_id).items():
                try:
                    with clicks.taking() as scores:
                        if scores:
                            run = finished_run(warehouse, run_id)
                            import_scores(warehouse, run, "answers", of_answers(scores), annotator, role)
                            take_scores(
                                warehouse,
                                run.dataset,
                                of_nuggets(warehouse, run, scores, annotator, role),
                                "sheet",
                            )
                except (SheetUnreadable, UsageError) as error:
                    problems.append(f"{annotator}, run {run_id}: {str(error).splitlines()[0]}")
    return problems


def try_to_take_clicks(home: Path, role: Role = "test") -> bool:
    """Take clicks in unless a run holds the home; tell whether it was tried."""
    try:
        take_clicks(home, role)
    except HomeBusy:
        return False
    return True


def agreement(home: Path, task: Task, annotators: Sequence[str]) -> tuple[dict[str, int], list[Agreed]]:
    """Return how many answers each annotator has done, and how well they agree on each aspect."""
    works = {annotator: work_of(home, task, annotator) for annotator in annotators}
    items = list(next(iter(works.values())).items) if works else []
    agreed = [
        _agreed(aspect.label, works, [(item, aspect.name) for item in items], "ordinal")
        for aspect in BROWSER_ASPECTS
    ]
    decided = sorted(
        {
            (item, aspect)
            for work in works.values()
            for item, aspects in work.scores.items()
            for aspect in aspects
            if aspect.startswith(NUGGET)
        }
    )
    if decided:
        agreed.append(_agreed("Disputed nuggets", works, decided, "nominal"))
    return {annotator: work.n_done for annotator, work in works.items()}, agreed


def _agreed(
    label: str, works: dict[str, Work], places: list[tuple[str, str]], level: Literal["ordinal", "nominal"]
) -> Agreed:
    """Return how well annotators agree at these places, an item and an aspect each."""
    table = [
        [work.scores.get(item, {}).get(aspect, np.nan) for item, aspect in places] for work in works.values()
    ]
    if len(table) < 2:
        return Agreed(label, Estimate(None, None, None, 0, "one annotator is no agreement"), None)
    labels: Any = [[None if np.isnan(score) else str(int(score)) for score in row] for row in table]
    return Agreed(label, krippendorff_alpha(table, level), mean_pairwise_kappa(labels))


def annotators_of(home: Path, task: Task) -> list[str]:
    """Return everybody who has scored answers of the run's data set, on paper or in the browser."""
    with of_this_version(home), published(home) as connection:
        rows: list[Row] = Results(connection).rows(
            "select distinct annotator from human_score where dataset = ? and target = 'answer'"
            " and metric in (select unnest(?::varchar[])) order by annotator",
            [task.run.dataset, list(NAMES)],
        )
    clicked = journals(home, task.run.run_id)
    return list(dict.fromkeys([*(row["annotator"] for row in rows), *clicked]))
