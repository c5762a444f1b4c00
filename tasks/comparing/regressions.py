"""Regressions against an earlier run: primary metrics of a system that got worse, paired by question."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from medassay.models.settings import PRIMARY
from medassay.sql.snapshot import read_results
from medassay.tasks.comparing.grid import LAST, finished_runs, no_baseline, seed_of


class Regressed(Exception):
    """A primary metric of a system fell beyond its interval; the run is published."""


@dataclass(frozen=True)
class Change:
    """One system on one metric, now less then, over the questions scored in both runs."""

    system: str
    metric: str
    n_questions: int
    difference: float | None
    low: float | None
    high: float | None
    regressed: bool
    reason: str | None
    judge_note: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the change as JSON-able values."""
        return asdict(self)


def baseline_run(home: Path, named: str, run_id: str) -> str | None:
    """Find the run to compare with: an id, a run's name, or `last`, the data set's run before this one.

    A data set's first run has none before it, and `last` is then None: a schedule has to begin somewhere.

    Raises:
        BadData: when there is no such finished run.
    """
    runs = finished_runs(home)
    data = {row["dataset"] for row in runs if row["run_id"] == run_id}
    others = [row for row in runs if row["run_id"] != run_id]
    for row in others:
        if named in (row["run_id"], row["name"]) or (named == LAST and row["dataset"] in data):
            return str(row["run_id"])
    if named == LAST:
        return None
    raise no_baseline(named, others)


def changes(home: Path, run_id: str, baseline: str) -> list[Change]:
    """Compare each system's primary metrics with the baseline's, paired by question; those of a case are one.

    The metrics are those that the run declared, of both runs under its profile. One regressed where the whole 95 %
    interval of its paired difference lies on the worse side of zero; with fewer than six questions there is no
    interval, and nothing is called a regression.
    """
    metrics = ", ".join(f'"{name}"' for name in declared_metrics(home, run_id))
    rows = read_results(
        home,
        f"""
        with scores as (
            from answer_scores_by_profile
            where run_id in ({_quoted(run_id)}, {_quoted(baseline)})
            and profile = (select profile from runs where run_id = {_quoted(run_id)})
        ),
        long as (
            unpivot (select run_id, question_id, system, {metrics} from scores)
            on {metrics} into name metric value value
        ),
        units as (
            select question_id, coalesce(case_id, question_id) as unit
            from questions where run_id = {_quoted(run_id)}
        ),
        paired as (
            select system, metric, unit, avg(now.value - before.value order by question_id) as difference
            from long as now
            join long as before using (system, metric, question_id)
            join units using (question_id)
            where now.run_id = {_quoted(run_id)} and before.run_id = {_quoted(baseline)}
            group by system, metric, unit
        )
        select system, metric, list(difference order by unit) as differences
        from paired
        group by system, metric order by system, metric
        """,
    )
    notes = read_results(
        home,
        "select metric, string_agg(distinct judge_note, '; ' order by judge_note) as judge_note from judge_notes"
        f" where run_id in ({_quoted(run_id)}, {_quoted(baseline)}) group by metric",
    )
    note_of = {row["metric"]: row["judge_note"] for row in notes}
    return [
        replace(
            change(row["system"], row["metric"], row["differences"]), judge_note=note_of.get(row["metric"])
        )
        for row in rows
    ]


def declared_metrics(home: Path, run_id: str) -> tuple[str, ...]:
    """Return the primary metrics of a run."""
    (row,) = read_results(home, f"select settings from runs where run_id = {_quoted(run_id)}")
    return tuple(json.loads(row["settings"]).get("primary", PRIMARY))


def change(system: str, metric: str, differences: list[float]) -> Change:
    """Judge one system's differences on one metric."""
    from medassay.metrics import BY_NAME
    from medassay.models.statistics.contrast import contrasts

    about = BY_NAME[metric]
    column = np.array(differences, dtype=np.float64)[:, None]
    (found,) = contrasts(column, seed=seed_of(column), most=about.high)
    nearest_to_none = found.low if about.lower_is_better else found.high
    worse = nearest_to_none is not None and (
        nearest_to_none > 0 if about.lower_is_better else nearest_to_none < 0
    )
    return Change(system, metric, found.n, found.difference, found.low, found.high, worse, found.reason)


def newly_contradicted(home: Path, run_id: str, baseline: str) -> list[dict[str, Any]]:
    """Return the nuggets that a system's answer turns around now and did not in the baseline, vital ones first."""
    return read_results(
        home,
        f"""
        select
            now.question_id, now.system, now.nugget_id, now.nugget, now.importance, before.state as before, now.reason
        from nugget_states as now
        join nugget_states as before using (question_id, system, nugget)
        where now.run_id = {_quoted(run_id)} and before.run_id = {_quoted(baseline)}
        and now.state = 'contradicted' and before.state <> 'contradicted'
        order by now.importance = 'vital' desc, now.system, now.question_id, now.nugget_id
        """,
    )


def refuse_regressions(
    found: list[Change], run_id: str, baseline: str, turned: Sequence[dict[str, Any]] = ()
) -> None:
    """Turn a comparison red where a system got worse, or an answer turns around what it did not before.

    Raises:
        Regressed: naming every system and metric with its interval, and every such nugget.
    """
    worse = [
        f"{c.system}: {c.metric} {'rose' if (c.difference or 0) > 0 else 'fell'} by {abs(c.difference or 0):.3f}"
        f" ({c.low:+.3f} to {c.high:+.3f},"
        f" {c.n_questions} questions)"
        for c in found
        if c.regressed
    ]
    worse += [
        f'{row["system"]} on {row["question_id"]}: now says the opposite of "{row["nugget"]}" (was {row["before"]})'
        for row in turned
    ]
    if worse:
        raise Regressed(
            "\n".join([*worse, f"worse than run {baseline}; run {run_id} is published all the same"])
        )


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
