"""`medassay calibrate`: map a judge's marks to the scale of human scores."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from medassay.models.people.scales import Scale
from medassay.models.statistics.calibration import Kind
from medassay.sql.snapshot import publish
from medassay.sql.warehouse import Row, Warehouse
from medassay.tasks.finished_runs import finished_run
from medassay.tasks.judging.human_labels import read_labels
from medassay.tasks.judging.label_rows import METRICS, Answer, Label, unmatched
from medassay.tasks.run import BadData, new_run_id

if TYPE_CHECKING:
    from medassay.models.statistics.correction import Corrected

LEAST_LABELS = 50


@dataclass(frozen=True, slots=True)
class Note:
    """Something to know beside the numbers, in one line; of all metrics where none is named."""

    metric: str | None
    text: str


@dataclass(frozen=True, slots=True)
class Calibrated:
    """A run's marks held against people's: one row a metric and system, what was left out, where it is published.

    A metric with too few labels has a single row, without a corrected mean and with the reason; it is not published.
    """

    run_id: str
    rows: list[dict[str, Any]]
    notes: tuple[Note, ...]
    snapshot: Path

    def as_rows(self) -> list[dict[str, Any]]:
        """Return the rows, each with the notes that concern it."""
        return [
            row | {"notes": [note.text for note in self.notes if note.metric in (None, row["metric"])]}
            for row in self.rows
        ]


def calibrate_run(
    warehouse: Warehouse, home: Path, file: Path, named: str | None, kind: Kind, scale: Scale | None = None
) -> Calibrated:
    """Hold a run's marks against people's, keep what comes out and publish it.

    Raises:
        BadData: when the file has faults, or nothing could be calibrated, with the reason for each metric.
    """
    labels = read_labels(file, scale)
    run = finished_run(warehouse, named)
    notes = [Note(None, text) for text in labels.notes]
    rows: list[dict[str, Any]] = []
    fitted: list[dict[str, Any]] = []
    for metric in METRICS:
        own = labels.of(metric)
        if not own:
            continue
        marks = marks_of(warehouse, run.run_id, metric)
        notes += [Note(metric, text) for text in unmatched(metric, run.run_id, marks, own)]
        found = corrected(metric, kind, marks, own)
        rows += found
        fitted += found if found[-1]["n_labels"] >= LEAST_LABELS else []
    if not fitted:
        reasons = [f"{row['metric']}: {row['reason']}" for row in rows]
        lines = [*reasons, *(note.text for note in notes)]
        raise BadData("\n".join([f"nothing to calibrate run {run.run_id} with:", *lines]))
    notes += judge_notes(warehouse, run.run_id, {row["metric"] for row in rows})
    now = datetime.now(UTC)
    with warehouse.transaction():
        for metric in {row["metric"] for row in fitted}:
            warehouse.execute(
                "delete from mart.calibration where run_id = ? and metric = ?", [run.run_id, metric]
            )
        warehouse.append(
            "mart.calibration", [{"run_id": run.run_id, "calibrated_at": now, **row} for row in fitted]
        )
    return Calibrated(run.run_id, rows, tuple(notes), publish(warehouse, home, new_run_id(now)))


def judge_notes(warehouse: Warehouse, run_id: str, metrics: set[str]) -> list[Note]:
    """Return what must stand beside the judge's marks of these metrics, such as an unlicensed judge."""
    rows = warehouse.rows(
        "select metric, judge_note from judge_notes where run_id = ? order by metric", [run_id]
    )
    return [
        Note(row["metric"], f"{row['metric'].replace('_', ' ')}: {row['judge_note']}")
        for row in rows
        if row["metric"] in metrics
    ]


def marks_of(warehouse: Warehouse, run_id: str, metric: str) -> list[Row]:
    """Return a run's marks of a metric by answer, NULL where it has none."""
    return warehouse.rows(
        "select question_id, system, value from mart.score where run_id = ? and metric = ?"
        " order by question_id, system",
        [run_id, metric],
    )


def corrected(
    metric: str, kind: Kind, marks: Sequence[Row], labels: dict[Answer, list[Label]]
) -> list[dict[str, Any]]:
    """Return one row a system and one for all: the judge's mean, and the corrected one with its interval.

    Where there are too few labels for that there is one row, which says so.
    """
    from medassay.models.statistics.correction import correct

    human = {answer: float(np.mean([label.score for label in given])) for answer, given in labels.items()}
    fitted, found = correct(
        kind,
        [row["question_id"] for row in marks],
        [row["system"] for row in marks],
        [np.nan if row["value"] is None else row["value"] for row in marks],
        [human.get((row["question_id"], row["system"]), np.nan) for row in marks],
    )
    if (whole := found[-1]).n_labels < LEAST_LABELS:
        return [_without_map(metric, kind, whole)]
    return [
        {
            "metric": metric,
            "system": one.system,
            "map": kind,
            "n_answers": one.n_answers,
            "n_labels": one.n_labels,
            "raw": one.raw,
            "corrected": one.corrected.value,
            "low": one.corrected.low,
            "high": one.corrected.high,
            "error": fitted.error.value,
            "error_low": fitted.error.low,
            "error_high": fitted.error.high,
            "error_of_the_mean": fitted.baseline,
            "skill": fitted.skill.value,
            "reason": one.corrected.reason,
            "map_reason": fitted.error.reason if fitted.skill.value is not None else fitted.skill.reason,
        }
        for one in found
    ]


def _without_map(metric: str, kind: Kind, whole: "Corrected") -> dict[str, Any]:
    answers = "1 answer has" if whole.n_labels == 1 else f"{whole.n_labels} answers have"
    reason = f"{answers} both a mark and a human score, and {LEAST_LABELS} are needed"
    return {
        "metric": metric,
        "system": None,
        "map": kind,
        "n_answers": whole.n_answers,
        "n_labels": whole.n_labels,
        "raw": whole.raw,
        **dict.fromkeys(
            ("corrected", "low", "high", "error", "error_low", "error_high", "error_of_the_mean", "skill")
        ),
        "reason": reason,
        "map_reason": reason,
    }
