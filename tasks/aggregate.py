"""Aggregate a run into the marts, in the transaction that finishes it."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np

from medassay.metrics import BY_NAME
from medassay.models.statistics.bootstrap import interval_note
from medassay.sql.views import marts_in_order, marts_up_to
from medassay.sql.warehouse import OutOfMemory, Row, Warehouse
from medassay.tasks.comparing.compare import BLOCK_CELLS, freeze_comparisons, means_and_sizes
from medassay.tasks.comparing.grid import Floats, Grid, data_seed, grid_of, matrices
from medassay.tasks.judging.stability import freeze_comparison, freeze_stability
from medassay.tasks.people.agree import freeze_agreement
from medassay.tasks.run import RunRef

KEPT = ("set_aside", "current_answer", "asked", "cited_evidence", "source_verdict")
"""Views that several marts read, and small runs keep."""
KEPT_OF_MARTS = ("answer_undone", "answer_counts")
"""The same, made of marts that the scores are made of."""

# What DuckDB may hold, in MB: a floor, and what each answer adds. What is over is written to the disk for a while; with
# less, sums in order do not fit, and all is done again without bounds: 7 GB at 100,000 answers, where 1.2 GB suffice.
MEMORY_MB, MEMORY_MB_AN_ANSWER = 448, 0.0075


@dataclass(frozen=True, slots=True)
class Ends:
    """The 95 % interval of a mean over so many units, and what to know of it; None where there is none."""

    low: float | None
    high: float | None
    n_units: int
    note: str | None


def aggregate(run: RunRef) -> dict[str, int]:
    """Append the run's marts and set `finished_at`, or do nothing at all; return rows per mart.

    Memory is bounded by the number of answers; what cannot be done within the bounds is done again without.
    """
    try:
        return _aggregated(run, f"{MEMORY_MB + MEMORY_MB_AN_ANSWER * run.n_answers:.0f}MB")
    except OutOfMemory:
        return _aggregated(run, None)
    finally:
        run.warehouse.use_threads(None)


def _aggregated(run: RunRef, memory: str | None) -> dict[str, int]:
    warehouse, settings = run.warehouse, run.settings
    counts = {}
    is_small = run.is_small
    with warehouse.held_to(memory), warehouse.transaction():
        if is_small:
            warehouse.keep(*KEPT)
        for mart in marts_in_order():
            if mart == "system_score":  # has intervals, which no view makes
                continue
            if mart == "score" and is_small:
                warehouse.keep(*KEPT_OF_MARTS)
            counts[mart] = freeze(warehouse, mart)
        warehouse.let_go()
        counts["system_score"] = freeze_system_scores(warehouse, run.run_id)
        freeze_criteria_intervals(warehouse, run.run_id)
        freeze_comparison(run)
        freeze_stability(run)
        counts["comparison"] = freeze_comparisons(warehouse, run.run_id, settings.primary, settings.profile)
        counts["agreement"] = freeze_agreement(warehouse, run.run_id)
        warehouse.execute("delete from landing where run_id = ?", [run.run_id])
        warehouse.execute(
            "update run set state = 'finished', finished_at = greatest(?, started_at), seed = ? where run_id = ?",
            [datetime.now(UTC), data_seed(warehouse, run.run_id), run.run_id],
        )
        warehouse.execute(
            "update run set parent_run_id = (select recomputed_run.run_id from recomputed_run) where run_id = ?",
            [run.run_id],
        )
    return counts


def freeze_marks(run: RunRef) -> None:
    """Append what marks are made of and the marks, and nothing else.

    An examination marks hundreds of answers as if each had a system of its own: comparing all of them would take hours.
    """
    with run.warehouse.transaction():
        for mart in marts_up_to("judgement"):
            freeze(run.warehouse, mart)


def freeze(warehouse: Warehouse, mart: str) -> int:
    """Append the current run's rows of one mart; return how many."""
    return warehouse.written(f"insert into mart.{mart} by name from new_{mart}")


def freeze_system_scores(warehouse: Warehouse, run_id: str) -> int:
    """Append each system's means with their intervals: cases are drawn whole, questions that share none one by one."""
    grid = grid_of(warehouse, run_id)
    rows = warehouse.rows("from new_system_score order by system, profile, metric")
    metrics = list(dict.fromkeys((row["profile"], row["metric"]) for row in rows))
    ends: dict[tuple[str, str, str], Ends] = {}
    # Some metrics at a time: they share their resampling, and memory does not grow with the run.
    step = max(1, BLOCK_CELLS // max(1, len(grid.questions) * len(grid.systems)))
    for start in range(0, len(metrics), step):
        some = metrics[start : start + step]
        stacked = matrices(warehouse, run_id, grid, some)
        tops = np.repeat([BY_NAME[metric].high for _, metric in some], len(grid.systems))
        names = [(system, *metric) for metric in some for system in grid.systems]
        ends.update(zip(names, intervals_of(grid, stacked, tops), strict=True))
    return warehouse.append(
        "mart.system_score",
        [with_interval(row, ends[row["system"], row["profile"], row["metric"]]) for row in rows],
    )


def freeze_criteria_intervals(warehouse: Warehouse, run_id: str) -> None:
    """Append the interval of each system's mean by tag of criteria, over the same resampled questions."""
    scores = warehouse.rows(
        "select question_id, system, tag, score from criteria_answer_scores where run_id = ? order by all",
        [run_id],
    )
    if not scores:
        return
    grid = grid_of(warehouse, run_id)
    places = {one: n for n, one in enumerate(sorted({(row["system"], row["tag"]) for row in scores}))}
    values = np.full((len(grid.questions), len(places)), np.nan)
    for row in scores:
        if row["score"] is not None:
            values[grid.questions[row["question_id"]], places[row["system"], row["tag"]]] = row["score"]
    found = intervals_of(grid, values, np.ones(len(places)))
    warehouse.append(
        "mart.criteria_interval",
        [
            {"run_id": run_id, "system": system, "tag": tag, "low": ends.low, "high": ends.high,
             "n_units": ends.n_units, "note": ends.note}
            for (system, tag), ends in zip(places, found, strict=True)
        ],
    )  # fmt: skip


def intervals_of(grid: Grid, values: Floats, tops: Floats) -> list[Ends]:
    """Return the 95 % interval of each column's mean over questions, which never leaves the metric's scale."""
    from medassay.models.statistics.bootstrap import known
    from medassay.models.statistics.resampling import constant, mean_intervals

    means, sizes = means_and_sizes(values, grid.units)
    low, high = mean_intervals(means, grid.seed, sizes=sizes)
    n_units = np.isfinite(means).sum(axis=0)
    return [
        Ends(known(a), known(b), int(n), interval_note(int(n), bool(same), grid.unit))
        for a, b, n, same in zip(
            low.clip(0.0, tops), high.clip(0.0, tops), n_units, constant(means), strict=True
        )
    ]


def with_interval(row: Row, ends: Ends) -> dict[str, Any]:
    """Add the interval of the mean and what it rests on; `reason` then says what to know of it."""
    note = ends.note if row["value"] is not None else row["reason"]
    return {**row, "low": ends.low, "high": ends.high, "n_units": ends.n_units, "reason": note}
