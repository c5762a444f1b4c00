"""Runs of a home as its page lists them: numbers, what changed since the run before, the line over all runs."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from medassay.metrics import BY_NAME
from medassay.sql.snapshot import of_this_version, published
from medassay.sql.warehouse import Row, statement
from medassay.tasks.browsing.tags import tags_of
from medassay.tasks.comparing.attribution import settings_otherwise

HEADLINE = ("nugget_coverage", "contradiction_rate", "citation_precision", "rubric_score")
"""The metrics that stand beside each system."""
LINE = "nugget_coverage"
"""The metric whose means over the runs of a data set are drawn."""


@dataclass(frozen=True, slots=True)
class SystemMeans:
    """A system of a run: its means in the order of `HEADLINE`, None where there is none, and how the first moved."""

    system: str
    values: tuple[float | None, ...]
    moved: float | None = None


@dataclass(frozen=True, slots=True)
class RunShown:
    """One run; `name` is what it is called everywhere: the name that it was given, else its id.

    `before` is the finished run before it of the same data set; `choices` are the settings chosen otherwise than there,
    `newly_contradicted` the nuggets that a system turns around now and not there.
    """

    run_id: str
    name: str
    dataset: str
    state: str
    note: str
    started_at: datetime
    n_questions: int
    systems: tuple[SystemMeans, ...]
    tags: tuple[str, ...]
    has_report: bool
    before: str = ""
    newly_contradicted: Mapping[str, int] = field(default_factory=dict)
    n_no_longer_contradicted: int = 0
    n_answers_changed: int = 0
    choices: Mapping[str, tuple[Any, Any]] = field(default_factory=dict)


def shown_name(row: Row) -> str:
    """Return what a run is called: the name that it was given, else its id."""
    return str(row["name"] or row["run_id"])


def runs_shown(home: Path) -> list[RunShown]:
    """Return every run of the published results, the newest first.

    Raises:
        NothingPublished: where no run has finished yet.
    """

    def rows(name: str, parameters: dict[str, Any] | None = None) -> list[Row]:
        cursor = connection.execute(statement(f"statements/browse/{name}"), parameters)
        columns = [column[0] for column in cursor.description or []]
        return [dict(zip(columns, row, strict=True)) for row in cursor.fetchall()]

    with of_this_version(home), published(home) as connection:
        runs = rows("runs")
        means = rows("means", {"metrics": [*HEADLINE]})
        changes = {row["run_id"]: row for row in rows("changes")}
    of_run: dict[str, dict[str, dict[str, float | None]]] = {}
    for row in means:
        of_run.setdefault(row["run_id"], {}).setdefault(row["system"], {})[row["metric"]] = row["value"]
    settings = {row["run_id"]: json.loads(row["settings"] or "{}") for row in runs}
    tags = tags_of(home)
    shown = []
    for row in runs:
        run_id = row["run_id"]
        change = changes.get(run_id, {})
        before = change.get("before_id", "")
        shown.append(
            RunShown(
                run_id=run_id,
                name=shown_name(row),
                dataset=row["dataset"],
                state=row["state"],
                note=row["note"] or "",
                started_at=row["started_at"],
                n_questions=row["n_questions"],
                systems=systems_of(of_run.get(run_id, {}), of_run.get(before, {}), settings[run_id]),
                tags=tuple(tags.get(run_id, ())),
                has_report=row["state"] == "finished",
                before=before,
                newly_contradicted={one["system"]: one["n"] for one in change.get("newly_contradicted", ())},
                n_no_longer_contradicted=change.get("n_no_longer_contradicted", 0),
                n_answers_changed=change.get("n_answers_changed", 0),
                choices=settings_otherwise(settings[before], settings[run_id]) if before else {},
            )
        )
    return shown


def systems_of(
    means: Mapping[str, Mapping[str, float | None]],
    before: Mapping[str, Mapping[str, float | None]],
    settings: Mapping[str, Any],
) -> tuple[SystemMeans, ...]:
    """Return a run's systems, the best by the metric that sorts its leaderboard first."""
    metric = BY_NAME.get(settings.get("sort_by", ""), BY_NAME[LINE])
    name = metric.name if metric.name in HEADLINE else LINE
    worst_last = 1 if BY_NAME[name].lower_is_better else -1

    def place(system: str) -> tuple[bool, float, str]:
        value = means[system].get(name)
        return value is None, worst_last * (value or 0.0), system

    def moved(system: str) -> float | None:
        now, then = means[system].get(LINE), before.get(system, {}).get(LINE)
        return None if now is None or then is None else now - then

    return tuple(
        SystemMeans(system, tuple(means[system].get(metric) for metric in HEADLINE), moved(system))
        for system in sorted(means, key=place)
    )
