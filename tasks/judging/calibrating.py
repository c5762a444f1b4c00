"""A judge's marks on the scale of the people who scored some of the answers: `medassay calibrate`."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from models.intake import BadRow, read_rows
from models.intake.names import as_name
from models.intake.rows import spelled
from models.statistics.calibration import Kind
from sql.snapshot import publish
from sql.warehouse import Row, Warehouse
from tasks.nuggets.editing import run_to_edit
from tasks.run import BadData, new_run_id

METRICS = (
    "rubric_score",
    "medical_correctness",
    "evidence_sufficiency",
    "response_alignment",
    "safety",
)
LEAST_LABELS = 50
SHOWN_FAULTS = 10
Labels = dict[tuple[str, str, str], list[float]]


@dataclass(frozen=True, slots=True)
class Calibrated:
    """A run's marks held against people's: one row a metric and system, and where the rows were published."""

    run_id: str
    rows: list[dict[str, Any]]
    ignored: int
    snapshot: Path | None


def read_labels(path: Path) -> tuple[Labels, int]:
    """Read human scores by metric, question and system; return them and how many rows are of no use here.

    Rows with role `test` are kept out: what tests agreement must not have been fitted to.

    Raises:
        BadData: naming each line that cannot be used.
    """
    labels: Labels = {}
    faults: list[str] = []
    ignored = 0
    for row in read_rows(path):
        if isinstance(row, BadRow):
            faults.append(f"{row.file}:{row.line}: {row.rule}: {row.observed}; {row.advice}")
            continue
        where, value = row.place.within(row.file), row.value
        if missing := [name for name in ("question_id", "system", "metric") if not value.get(name)]:
            faults.append(
                f"{where}: no {', '.join(missing)}; every row needs question_id, system, metric and score"
            )
            continue
        if _name(value["metric"]) not in METRICS or value.get("target") not in (None, "", "answer"):
            ignored += 1
            continue
        if value.get("role") == "test":
            ignored += 1
            continue
        score = _number(value.get("score"))
        if score is None:
            faults.append(f"{where}: score is {spelled(value.get('score'))}; give a number")
            continue
        key = _name(value["metric"]), _name(value["question_id"]), _name(value["system"])
        labels.setdefault(key, []).append(score)
    if faults:
        more = [f"and {len(faults) - SHOWN_FAULTS} lines more"] if len(faults) > SHOWN_FAULTS else []
        raise BadData("\n".join([*faults[:SHOWN_FAULTS], *more]))
    if not labels:
        raise BadData(
            f"{path}: no score of {', '.join(METRICS)} with a role other than test; name the metric so"
        )
    return labels, ignored


def _name(value: Any) -> str:
    return str(as_name(value))


def _number(value: Any) -> float | None:
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return number if np.isfinite(number) else None


def calibrate_run(warehouse: Warehouse, home: Path, file: Path, named: str | None, kind: Kind) -> Calibrated:
    """Hold a run's marks against people's, keep what comes out and publish it.

    Raises:
        BadData: when nothing could be calibrated, with the reason for each metric.
    """
    labels, ignored = read_labels(file)
    run = run_to_edit(warehouse, named)
    rows: list[dict[str, Any]] = []
    reasons = []
    for metric in METRICS:
        own = {(q, s): float(np.mean(given)) for (name, q, s), given in labels.items() if name == metric}
        if not own:
            continue
        marks = warehouse.rows(
            "select question_id, system, value from mart.score where run_id = ? and metric = ?"
            " order by question_id, system",
            [run.run_id, metric],
        )
        labelled = [
            row for row in marks if (row["question_id"], row["system"]) in own and row["value"] is not None
        ]
        if len(labelled) < LEAST_LABELS:
            reasons.append(
                f"{metric}: {len(labelled)} answers have both a mark and a human score, and {LEAST_LABELS} are needed"
            )
            continue
        rows += corrected(metric, kind, marks, own)
    if not rows:
        raise BadData("\n".join([f"nothing to calibrate run {run.run_id} with:", *reasons]))
    now = datetime.now(UTC)
    with warehouse.transaction():
        for metric in {row["metric"] for row in rows}:
            warehouse.execute(
                "delete from mart.calibration where run_id = ? and metric = ?", [run.run_id, metric]
            )
        warehouse.append(
            "mart.calibration", [{"run_id": run.run_id, "calibrated_at": now, **row} for row in rows]
        )
    return Calibrated(run.run_id, rows, ignored, publish(warehouse, home, new_run_id(now)))


def corrected(
    metric: str, kind: Kind, marks: list[Row], human: dict[tuple[str, str], float]
) -> Iterable[dict[str, Any]]:
    """Return one row a system and one for all: the judge's mean, and the corrected one with its interval."""
    from models.statistics.correction import correct

    fitted, found = correct(
        kind,
        [row["question_id"] for row in marks],
        [row["system"] for row in marks],
        [np.nan if row["value"] is None else row["value"] for row in marks],
        [human.get((row["question_id"], row["system"]), np.nan) for row in marks],
    )
    for one in found:
        yield {
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
            "reason": one.corrected.reason or fitted.error.reason,
        }
